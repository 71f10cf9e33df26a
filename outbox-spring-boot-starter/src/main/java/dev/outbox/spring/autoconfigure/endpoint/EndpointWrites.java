package dev.outbox.spring.autoconfigure.endpoint;

import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.OutboxOperations.InboxStart;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.Replays;
import dev.outbox.operations.ScheduledEvents;
import dev.outbox.spring.internal.RequestFilters;
import dev.outbox.spring.internal.Rights.Right;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Performs the commands of the endpoint. */
final class EndpointWrites {

    private static final Set<String> ERASURES = Set.of("erase", "expire");

    private final OutboxOperations operations;
    private final Replays replays;
    private final ScheduledEvents scheduled;

    EndpointWrites(OutboxOperations operations, Replays replays, ScheduledEvents scheduled) {
        this.operations = operations;
        this.replays = replays;
        this.scheduled = scheduled;
    }

    /** Operator and reason, as far as the request names them. */
    record Audit(@Nullable String actor, @Nullable String reason) {

        String by() {
            return given(actor, "'actor' is missing: the request is not authenticated");
        }

        String why() {
            return given(reason, "'reason' is missing");
        }
    }

    /** Command that changes a handler or a stream. */
    private interface Change {

        boolean apply(String subject, String actor, String reason);
    }

    /** Returns what a command needs. */
    static Right right(String command) {
        return ERASURES.contains(command) ? Right.ERASE : Right.COMMAND;
    }

    /** Returns the outcome, or {@code null} if there is no such command or replay. */
    @Nullable
    Object perform(String command, RequestFilters values, Audit audit) {
        return switch (command) {
            case "retry" -> operations.retry(deliveries(command, values), audit.by(), audit.why());
            case "skip" -> operations.skip(deliveries(command, values), audit.by(), audit.why());
            case "pause" -> pause(values, audit);
            case "resume" -> changed(command, values, audit, operations::resumeHandler, operations::resumeStream);
            case "resumeInbox" -> resumeInbox(values, audit);
            case "expire" -> expire(values, audit);
            case "replay" -> Map.of("replay", replays.start(replay(values), audit.by(), audit.why()));
            case "cancel" -> cancel(values, audit);
            case "erase" -> operations.erase(values.selection(command).erasure("an erasure"), audit.by(), audit.why());
            case "deliver" -> deliver(values, audit);
            default -> null;
        };
    }

    private static DeliverySelection deliveries(String command, RequestFilters values) {
        return values.selection(command).deliveries("a selection of deliveries");
    }

    private Object pause(RequestFilters values, Audit audit) {
        Duration duration = values.duration("duration");
        return duration == null
                ? changed("pause", values, audit, operations::pauseHandler, operations::pauseStream)
                : changed(
                        "pause",
                        values,
                        audit,
                        (handler, actor, reason) -> operations.pauseHandler(handler, duration, actor, reason),
                        (stream, actor, reason) -> operations.pauseStream(stream, duration, actor, reason));
    }

    private static Object changed(
            String command, RequestFilters values, Audit audit, Change ofHandler, Change ofStream) {
        String handler = values.text("handler");
        String stream = values.text("stream");
        values.end(command);
        String subject = handler == null ? stream : handler;
        if (subject == null || (handler != null && stream != null)) {
            throw new InvalidOperationException("'" + command + "' needs either a 'handler' or a 'stream'");
        }
        Change change = handler == null ? ofStream : ofHandler;
        return Map.of("changed", change.apply(subject, audit.by(), audit.why()));
    }

    private Object resumeInbox(RequestFilters values, Audit audit) {
        String inbox = values.required("inbox");
        InboxStart at = values.inboxStart();
        values.end("resumeInbox");
        operations.resumeInbox(inbox, at, audit.by(), audit.why());
        return Map.of("changed", true);
    }

    private Object expire(RequestFilters values, Audit audit) {
        String handler = values.text("handler");
        String eventType = values.text("eventType");
        values.end("expire");
        String id = given(handler, "'handler' is missing: the id of the handler to expire");
        return Map.of(
                "changed",
                eventType == null
                        ? operations.expireHandler(id, audit.by(), audit.why())
                        : operations.expireSubscription(id, eventType, audit.by(), audit.why()));
    }

    private static ReplayRequest replay(RequestFilters values) {
        Long rate = values.number("rate");
        ReplayRequest request = values.selection("replay").replay("a selection of events to replay");
        return rate == null ? request : request.rate(Math.toIntExact(Math.min(rate, Integer.MAX_VALUE)));
    }

    private Object deliver(RequestFilters values, Audit audit) {
        UUID event = values.uuid("event");
        values.end("deliver");
        UUID id = given(event, "'event' is missing: the id of the scheduled event to deliver");
        return Map.of("changed", scheduled.deliverNow(id, audit.by(), audit.why()));
    }

    private @Nullable Object cancel(RequestFilters values, Audit audit) {
        Long replay = values.number("replay");
        UUID event = values.uuid("event");
        values.end("cancel");
        if (event != null && replay == null) {
            return Map.of("changed", scheduled.cancel(event, audit.by(), audit.why()));
        }
        long id = given(
                event == null ? replay : null,
                "'cancel' needs either a 'replay', its number, or a scheduled 'event', its id");
        return replays.find(id).isEmpty() ? null : Map.of("changed", replays.cancel(id, audit.by()));
    }

    private static <T> T given(@Nullable T value, String refusal) {
        if (value == null) {
            throw new InvalidOperationException(refusal);
        }
        return value;
    }
}
