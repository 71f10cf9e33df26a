package dev.outbox.console.internal.web;

import dev.outbox.operations.OutboxOperations.Changed;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.function.ServerRequest;

/**
 * Outcome of a change, on the page after it. The address of the page carries it as a word and figures, never as text.
 *
 * @param changed whether anything was changed
 * @param text the outcome as sentences
 */
public record Notice(boolean changed, String text) {

    private static final String OUTCOME = "outcome";

    /** Parameters after deliveries were retried or skipped. */
    public static Map<String, ?> of(String outcome, Changed changed) {
        return Map.<String, Object>of(OUTCOME, outcome, "affected", changed.affected(), "busy", changed.busy());
    }

    /** Parameters after a change that has no figures. */
    public static Map<String, ?> of(String outcome) {
        return Map.<String, Object>of(OUTCOME, outcome);
    }

    static @Nullable Notice of(ServerRequest request) {
        Inputs inputs = new Inputs(request);
        long affected = figure(inputs, "affected");
        long busy = figure(inputs, "busy");
        return switch (inputs.raw(OUTCOME)) {
            case "retried" -> deliveries("retried", affected, busy);
            case "skipped" -> deliveries("skipped", affected, busy);
            case "paused" -> new Notice(true, "Paused. Each instance stops with its next claim.");
            case "resumed" -> new Notice(true, "Resumed.");
            case "unchanged" -> new Notice(false, "Nothing changed: it was so already.");
            case "started" -> new Notice(true, "Started. It runs on the server and does not need this page.");
            case "cancelled" -> new Notice(true, "Cancelled. What it has done remains.");
            default -> null;
        };
    }

    /** Reads a figure of an address that anybody may have changed. */
    private static long figure(Inputs inputs, String name) {
        String value = inputs.raw(name);
        return value.matches("\\d{1,9}") ? Long.parseLong(value) : 0;
    }

    /** Describes what happened to deliveries. */
    public static Notice deliveries(String done, long affected, long busy) {
        StringBuilder text = new StringBuilder();
        if (affected == 0 && busy == 0) {
            text.append("Nothing changed: another operator or a worker was faster.");
        } else {
            text.append(affected).append(affected == 1 ? " delivery " : " deliveries ");
            text.append(done).append('.');
        }
        if (busy > 0) {
            text.append(' ').append(busy);
            text.append(" busy: a worker attempts it at the moment, or another operator changes it. Try again later.");
        }
        return new Notice(affected > 0, text.toString());
    }
}
