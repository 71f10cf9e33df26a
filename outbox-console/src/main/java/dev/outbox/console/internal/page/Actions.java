package dev.outbox.console.internal.page;

import dev.outbox.console.internal.web.Inputs;
import dev.outbox.console.internal.web.Links;
import dev.outbox.console.internal.web.Notice;
import dev.outbox.console.internal.web.Operators;
import dev.outbox.console.internal.web.Views;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.Erasure;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.OutboxOperations.Changed;
import dev.outbox.operations.OutboxOperations.Erased;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** Retry and skip of one delivery or the dead letters of a lane; erasure; pause and resumption of a handler or stream; expiry of a handler. */
final class Actions {

    private static final List<String> FIELDS = List.of("action", "subject", "name", "reason");

    private final Views views;
    private final OutboxOperations operations;
    private final Snapshots snapshots;

    Actions(Views views, OutboxOperations operations, Snapshots snapshots) {
        this.views = views;
        this.operations = operations;
        this.snapshots = snapshots;
    }

    ServerResponse retry(ServerRequest request) {
        Changed changed = operations.retry(selection(request), Operators.of(request), reason(request));
        return back(request, Notice.of("retried", changed.affected(), changed.busy()));
    }

    ServerResponse skip(ServerRequest request) {
        Changed changed = operations.skip(selection(request), Operators.of(request), reason(request));
        return back(request, Notice.of("skipped", changed.affected(), changed.busy()));
    }

    ServerResponse erase(ServerRequest request) {
        Inputs inputs = new Inputs(request);
        UUID eventId = inputs.uuid("event");
        Erasure all = eventId == null
                ? Erasure.ofAggregate(inputs.required("type"), inputs.required("id"))
                : Erasure.ofEvents(List.of(eventId));
        Erasure chosen = switch (inputs.raw("undelivered")) {
            case "KEEP" -> all.afterDelivery();
            case "WITHDRAW" -> all.withoutDelivery();
            default -> all;
        };
        Erased erased = operations.erase(chosen, Operators.of(request), reason(request));
        return back(request, Notice.of("erased", erased.erased(), erased.remaining()));
    }

    private static String reason(ServerRequest request) {
        return new Inputs(request).required("reason");
    }

    private static DeliverySelection selection(ServerRequest request) {
        Inputs inputs = new Inputs(request);
        String handlerId = inputs.required("handler");
        UUID eventId = inputs.uuid("event");
        return eventId != null
                ? DeliverySelection.delivery(eventId, handlerId)
                : DeliverySelection.lane(handlerId, inputs.required("type"), inputs.required("id"))
                        .withStatus(DeliveryStatus.DEAD);
    }

    /** Leads back to the lane or the event whose form was sent. */
    private ServerResponse back(ServerRequest request, String outcome) {
        snapshots.expire();
        Inputs inputs = new Inputs(request);
        Links links = views.links(request);
        String page = inputs.text("type") == null
                ? links.event(String.valueOf(inputs.uuid("event")))
                : links.lane(inputs.raw("type"), inputs.raw("id"));
        return views.redirect(request, page, outcome);
    }

    /** Asks for the reason of a change of a handler or stream. */
    ServerResponse confirm(ServerRequest request) {
        Map<String, String> fields = new Inputs(request).texts(FIELDS);
        change(fields);
        return views.page(request, "confirm", Map.of("fields", fields));
    }

    ServerResponse pause(ServerRequest request) {
        return set(request, "pause", "paused");
    }

    ServerResponse resume(ServerRequest request) {
        return set(request, "resume", "resumed");
    }

    ServerResponse expire(ServerRequest request) {
        return set(request, "expire", "expired");
    }

    /** Change of a handler or stream, with its name, the operator and the reason. */
    private interface Change {
        boolean apply(String name, String operator, String reason);
    }

    private Change change(Map<String, String> fields) {
        return switch (fields.get("action") + " " + fields.get("subject")) {
            case "pause handler" -> operations::pauseHandler;
            case "pause stream" -> operations::pauseStream;
            case "resume handler" -> operations::resumeHandler;
            case "resume stream" -> operations::resumeStream;
            case "expire handler" -> operations::expireHandler;
            default ->
                throw new InvalidOperationException(
                        "The console can pause and resume handlers and streams, and expire handlers only.");
        };
    }

    private ServerResponse set(ServerRequest request, String action, String outcome) {
        Inputs inputs = new Inputs(request);
        Map<String, String> fields = inputs.texts(FIELDS);
        fields.put("action", action);
        Change change = change(fields);
        try {
            boolean changed = change.apply(inputs.required("name"), Operators.of(request), reason(request));
            snapshots.expire();
            return views.redirect(request, views.links(request).home(), changed ? outcome : "unchanged");
        } catch (InvalidOperationException e) {
            return views.refused(request, "confirm", Map.of("fields", fields), e);
        }
    }
}
