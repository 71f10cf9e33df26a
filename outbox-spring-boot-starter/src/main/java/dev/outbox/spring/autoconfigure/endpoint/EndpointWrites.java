package dev.outbox.spring.autoconfigure.endpoint;

import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.Replays;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Performs the commands of the endpoint. */
final class EndpointWrites {

    private final OutboxOperations operations;
    private final Replays replays;

    EndpointWrites(OutboxOperations operations, Replays replays) {
        this.operations = operations;
        this.replays = replays;
    }

    /** Operator and reason, as far as the request names them. */
    record Audit(@Nullable String actor, @Nullable String reason) {

        String by() {
            if (actor == null) {
                throw new InvalidOperationException("'actor' is missing: the request is not authenticated");
            }
            return actor;
        }

        String why() {
            if (reason == null) {
                throw new InvalidOperationException("'reason' is missing");
            }
            return reason;
        }
    }

    /** Returns the outcome, or {@code null} if there is no such command or replay. */
    @Nullable
    Object perform(String command, EndpointFilter values, @Nullable EndpointFilter selection, Audit audit) {
        return switch (command) {
            case "retry" -> operations.retry(deliveries(command, values, selection), audit.by(), audit.why());
            case "skip" -> operations.skip(deliveries(command, values, selection), audit.by(), audit.why());
            case "pause" -> pause(command, values, selection, audit);
            case "resume" -> pause(command, values, selection, audit);
            case "expire" -> expire(values, selection, audit);
            case "replay" -> replay(values, selection, audit);
            case "cancel" -> cancel(values, selection, audit);
            default -> null;
        };
    }

    private static DeliverySelection deliveries(
            String command, EndpointFilter values, @Nullable EndpointFilter selection) {
        values.end(command);
        EndpointFilter filter = present(selection);
        DeliverySelection deliveries = EndpointSelections.deliveries(filter);
        filter.end("a selection of deliveries");
        return deliveries;
    }

    private static EndpointFilter present(@Nullable EndpointFilter selection) {
        if (selection == null) {
            throw new InvalidOperationException(
                    "'selection' is missing: a query string of filters, such as handler=mail&status=DEAD");
        }
        return selection;
    }

    private Object pause(String command, EndpointFilter values, @Nullable EndpointFilter selection, Audit audit) {
        refuse(command, selection);
        String handler = values.text("handler");
        String stream = values.text("stream");
        values.end(command);
        if ((handler == null) == (stream == null)) {
            throw new InvalidOperationException("'" + command + "' needs either a 'handler' or a 'stream'");
        }
        boolean pause = command.equals("pause");
        boolean changed;
        if (handler != null) {
            changed = pause
                    ? operations.pauseHandler(handler, audit.by(), audit.why())
                    : operations.resumeHandler(handler, audit.by(), audit.why());
        } else {
            changed = pause
                    ? operations.pauseStream(String.valueOf(stream), audit.by(), audit.why())
                    : operations.resumeStream(String.valueOf(stream), audit.by(), audit.why());
        }
        return Map.of("changed", changed);
    }

    private Object expire(EndpointFilter values, @Nullable EndpointFilter selection, Audit audit) {
        refuse("expire", selection);
        String handler = values.text("handler");
        values.end("expire");
        if (handler == null) {
            throw new InvalidOperationException("'handler' is missing: the id of the handler to expire");
        }
        return Map.of("changed", operations.expireHandler(handler, audit.by(), audit.why()));
    }

    private Object replay(EndpointFilter values, @Nullable EndpointFilter selection, Audit audit) {
        Long rate = values.number("rate");
        values.end("replay");
        EndpointFilter filter = present(selection);
        ReplayRequest request = EndpointSelections.replay(filter, rate);
        filter.end("a selection of events to replay");
        return Map.of("replay", replays.start(request, audit.by(), audit.why()));
    }

    private @Nullable Object cancel(EndpointFilter values, @Nullable EndpointFilter selection, Audit audit) {
        refuse("cancel", selection);
        Long id = values.number("replay");
        values.end("cancel");
        if (id == null) {
            throw new InvalidOperationException("'replay' is missing: the number of the replay to cancel");
        }
        return replays.find(id).isEmpty() ? null : Map.of("changed", replays.cancel(id, audit.by()));
    }

    private static void refuse(String command, @Nullable EndpointFilter selection) {
        if (selection != null) {
            throw new InvalidOperationException("'" + command + "' takes no 'selection'");
        }
    }
}
