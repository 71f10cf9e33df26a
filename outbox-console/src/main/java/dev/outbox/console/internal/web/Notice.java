package dev.outbox.console.internal.web;

import dev.outbox.operations.Count;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.servlet.function.ServerRequest;

/**
 * Outcome of a change, on the page after it. A cookie carries it there as a word and figures, never as text: the address of the page stays
 * free of it.
 *
 * @param changed whether anything was changed
 * @param text the outcome as sentences
 */
public record Notice(boolean changed, String text) {

    private static final String NAME = "outbox-outcome";
    private static final Duration KEPT = Duration.ofMinutes(1);

    /** Returns the outcome after deliveries or events were changed, and others were not, as the cookie carries it. */
    public static String of(String outcome, long affected, long left) {
        return outcome + "." + affected + "." + left;
    }

    /** Returns the outcome after deliveries were changed, were busy, or had left the selection before the change. */
    public static String of(String outcome, long affected, long busy, long left) {
        return of(outcome, affected, busy) + "." + left;
    }

    static @Nullable Notice of(ServerRequest request) {
        var cookie = request.cookies().getFirst(NAME);
        String[] parts = cookie == null ? new String[] {""} : cookie.getValue().split("\\.", -1);
        long affected = figure(parts, 1);
        long busy = figure(parts, 2);
        return switch (parts[0]) {
            case "retried" -> deliveries("retried", affected, busy, figure(parts, 3));
            case "skipped" -> deliveries("skipped", affected, busy, figure(parts, 3));
            case "erased", "erased+" ->
                new Notice(
                        affected > 0,
                        "Events erased: " + affected + "."
                                + (busy == 0
                                        ? ""
                                        : " Not delivered, and kept: " + new Count(busy, parts[0].equals("erased"))
                                                + ". Erase these again later.")
                                + " Topics, backups and the tables of handlers may have copies.");
            case "paused" -> new Notice(true, "Paused. Each instance stops with its next claim.");
            case "resumed" -> new Notice(true, "Resumed.");
            case "expired" -> new Notice(true, "Expired. Its deliveries are dead letters.");
            case "unchanged" -> new Notice(false, "Nothing changed: it was so already.");
            case "started" -> new Notice(true, "Started. It runs on the server and does not need this page.");
            case "due" -> new Notice(true, "It is due now, and takes its place in the order of its aggregate.");
            case "withdrawn" -> new Notice(true, "Cancelled. It is never delivered.");
            case "moved" -> new Notice(false, "Nothing changed: its time had come, or it was withdrawn.");
            case "cancelled" -> new Notice(true, "Cancelled. What it has done remains.");
            default -> null;
        };
    }

    /** Reads a figure of a cookie that anybody may have changed. */
    private static long figure(String[] parts, int index) {
        return parts.length > index && parts[index].matches("\\d{1,9}") ? Long.parseLong(parts[index]) : 0;
    }

    /** Returns the header that carries an outcome to the next page. */
    static String cookie(ServerRequest request, String path, String outcome) {
        return Operators.cookie(request, path, NAME, outcome, KEPT);
    }

    /** Ends the cookie of a request, whose outcome the page shows. */
    static void end(ServerRequest request, HttpHeaders headers, String path) {
        if (request.cookies().containsKey(NAME)) {
            headers.add(HttpHeaders.SET_COOKIE, Operators.cookie(request, path, NAME, "", Duration.ZERO));
        }
    }

    /** Describes what happened to deliveries. */
    public static Notice deliveries(String done, long affected, long busy, long left) {
        StringBuilder text = new StringBuilder();
        if (affected > 0) {
            text.append(affected).append(affected == 1 ? " delivery " : " deliveries ");
            text.append(done).append(". ");
        }
        if (busy > 0) {
            text.append(busy);
            text.append(" busy: a worker attempts it at the moment, or another operator changes it. Try again later. ");
        }
        String faster = " changed: another operator or a worker was faster.";
        if (affected + busy == 0) {
            text.append("Nothing").append(faster);
        } else if (left > 0) {
            text.append(left).append(" not").append(faster);
        }
        return new Notice(affected > 0, text.toString().strip());
    }
}
