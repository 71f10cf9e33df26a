package dev.outbox.console.internal.page;

import dev.outbox.console.internal.web.Inputs;
import dev.outbox.console.internal.web.Links;
import dev.outbox.console.internal.web.Notice;
import dev.outbox.console.internal.web.Operators;
import dev.outbox.console.internal.web.Views;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.OutboxOperations;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** Retry and skip of one delivery or the dead letters of a lane; pause and resumption of a handler or stream. */
final class Actions {

    private final Views views;
    private final OutboxOperations operations;
    private final Snapshots snapshots;

    Actions(Views views, OutboxOperations operations, Snapshots snapshots) {
        this.views = views;
        this.operations = operations;
        this.snapshots = snapshots;
    }

    ServerResponse retry(ServerRequest request) {
        return back(
                request,
                Notice.of("retried", operations.retry(selection(request), Operators.of(request), reason(request))));
    }

    ServerResponse skip(ServerRequest request) {
        return back(
                request,
                Notice.of("skipped", operations.skip(selection(request), Operators.of(request), reason(request))));
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
    private ServerResponse back(ServerRequest request, Map<String, ?> outcome) {
        snapshots.expire();
        Inputs inputs = new Inputs(request);
        Links links = views.links(request);
        Map<String, Object> parameters = new LinkedHashMap<>(outcome);
        if (inputs.text("type") == null) {
            return views.redirect(request, links.to("events/" + inputs.uuid("event"), parameters));
        }
        parameters.put("type", inputs.raw("type"));
        parameters.put("id", inputs.raw("id"));
        return views.redirect(request, links.to("lanes", parameters));
    }

    ServerResponse pause(ServerRequest request) {
        return set(request, operations::pauseStream, operations::pauseHandler, "paused");
    }

    ServerResponse resume(ServerRequest request) {
        return set(request, operations::resumeStream, operations::resumeHandler, "resumed");
    }

    /** Change of a handler or stream, with its name, the operator and the reason. */
    private interface Change {
        boolean apply(String name, String operator, String reason);
    }

    private ServerResponse set(ServerRequest request, Change ofStream, Change ofHandler, String outcome) {
        Inputs inputs = new Inputs(request);
        Change change = inputs.required("subject").equals("stream") ? ofStream : ofHandler;
        boolean changed = change.apply(inputs.required("name"), Operators.of(request), reason(request));
        snapshots.expire();
        return views.redirect(request, views.links(request).home() + "?outcome=" + (changed ? outcome : "unchanged"));
    }
}
