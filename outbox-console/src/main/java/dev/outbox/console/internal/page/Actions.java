package dev.outbox.console.internal.page;

import dev.outbox.console.internal.web.Inputs;
import dev.outbox.console.internal.web.Links;
import dev.outbox.console.internal.web.Notice;
import dev.outbox.console.internal.web.Operators;
import dev.outbox.console.internal.web.Views;
import dev.outbox.operations.Count;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.OutboxOperations.Changed;
import dev.outbox.operations.OutboxOperations.InboxStart;
import dev.outbox.spring.internal.RequestFilters;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/**
 * Retry and skip of one delivery, some of a group, or the dead letters of a lane; pause and resumption of a handler, stream or inbox; expiry of
 * a handler or subscription.
 */
final class Actions {

    private static final Logger log = LoggerFactory.getLogger(Actions.class);

    private static final List<String> FIELDS =
            List.of("action", "subject", "name", "eventType", "at", "duration", "reason", "undelivered");

    private final Views views;
    private final OutboxOperations operations;
    private final Snapshots snapshots;
    private final FailuresPage failures;
    private final EventDetailsPage events;
    private final LanePage lanes;

    Actions(
            Views views,
            OutboxOperations operations,
            Snapshots snapshots,
            FailuresPage failures,
            EventDetailsPage events,
            LanePage lanes) {
        this.views = views;
        this.operations = operations;
        this.snapshots = snapshots;
        this.failures = failures;
        this.events = events;
        this.lanes = lanes;
    }

    ServerResponse retry(ServerRequest request) {
        return change(request, "retry", "retried", operations::retry);
    }

    ServerResponse skip(ServerRequest request) {
        return change(request, "skip", "skipped", operations::skip);
    }

    /** Change of deliveries, with the operator and the reason. */
    private interface DeliveryChange {
        Changed apply(DeliverySelection selection, String operator, String reason);
    }

    private ServerResponse change(ServerRequest request, String action, String done, DeliveryChange change) {
        Inputs inputs = new Inputs(request);
        if (inputs.raw("from").equals("group")) {
            return changeSelected(request, done, change);
        }
        String handlerId = inputs.required("handler");
        UUID event = inputs.uuid("event");
        DeliverySelection selection = event != null
                ? DeliverySelection.delivery(event, handlerId)
                : DeliverySelection.lane(handlerId, inputs.required("type"), inputs.required("id"))
                        .withStatus(DeliveryStatus.DEAD);
        String form = action + " " + handlerId + " " + (event == null ? "" : event);
        return change(request, form, () -> {
            Changed changed = change.apply(selection, Operators.of(request), inputs.required("reason"));
            return outcome(done, changed, 0);
        });
    }

    /** Changes the deliveries that are selected on the page of a group, without those that have left the group since. */
    private ServerResponse changeSelected(ServerRequest request, String done, DeliveryChange change) {
        Inputs inputs = new Inputs(request);
        GroupSelection group = GroupSelection.of(inputs);
        try {
            Set<UUID> selected = inputs.uuids("event");
            if (selected.isEmpty() || selected.size() > FailuresPage.PAGE_SIZE) {
                throw new InvalidOperationException("Select from 1 to " + FailuresPage.PAGE_SIZE + " deliveries.");
            }
            DeliverySelection selection = group.fromBeginning().deliveries().ofEvents(selected);
            Changed changed = change.apply(selection, Operators.of(request), inputs.required("reason"));
            String outcome = outcome(done, changed, selected.size() - changed.affected() - changed.busy());
            return views.redirect(request, views.links(request).to("failures/group", group.parameters()), outcome);
        } catch (InvalidOperationException e) {
            Map<String, ?> refused = Map.<String, Object>of(
                    "refused", "selected", "fields", inputs.texts(FIELDS), "selected", inputs.all("event"));
            return failures.refused(request, refused, e);
        } finally {
            snapshots.expire();
        }
    }

    /** Refuses a change that only met busy deliveries, so that its form stays. */
    private static String outcome(String done, Changed changed, int left) {
        if (changed.affected() == 0 && changed.busy() > 0) {
            throw new InvalidOperationException(
                    Notice.deliveries(done, 0, changed.busy(), left).text());
        }
        return Notice.of(done, changed.affected(), changed.busy(), left);
    }

    /** Leads back to the lane or the event whose form was sent, or shows it with what was typed if the form is refused. */
    private ServerResponse change(ServerRequest request, String form, Supplier<String> change) {
        Inputs inputs = new Inputs(request);
        UUID event = inputs.uuid("event");
        boolean ofLane = inputs.text("type") != null;
        try {
            String outcome = change.get();
            Links links = views.links(request);
            return views.redirect(
                    request,
                    event == null || ofLane ? links.lane(inputs.raw("type"), inputs.raw("id")) : links.event(event),
                    outcome);
        } catch (InvalidOperationException e) {
            Map<String, ?> refused = Map.<String, Object>of("refused", form, "fields", inputs.texts(FIELDS));
            return event == null || ofLane
                    ? lanes.refused(request, refused, e)
                    : events.refused(request, event, refused, e);
        } finally {
            snapshots.expire();
        }
    }

    /** Asks for the reason of a change of a handler or stream. */
    ServerResponse confirm(ServerRequest request) {
        Map<String, String> fields = new Inputs(request).texts(FIELDS);
        change(fields);
        return views.page(request, "confirm", confirmation(fields));
    }

    private Map<String, ?> confirmation(Map<String, String> fields) {
        Map<String, @Nullable Object> model = new HashMap<>();
        model.put("fields", fields);
        model.put("open", "expire".equals(fields.get("action")) ? open(fields) : null);
        return model;
    }

    /** Counts the deliveries that an expiry dead-letters, or returns {@code null} if that takes too long. */
    private @Nullable Count open(Map<String, String> fields) {
        String type = fields.getOrDefault("eventType", "*");
        try {
            DeliverySelection all = DeliverySelection.all()
                    .ofHandler(fields.getOrDefault("name", ""))
                    .withStatus(DeliveryStatus.OPEN);
            return operations.count(type.equals("*") ? all : all.ofEventType(type));
        } catch (InvalidOperationException e) {
            log.debug("The open deliveries of {} were not counted", fields, e);
            return null;
        }
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

    /** Pause that ends by itself. */
    private interface LastingPause {
        boolean apply(String name, Duration duration, String operator, String reason);
    }

    private Change change(Map<String, String> fields) {
        return switch (fields.get("action") + " " + fields.get("subject")) {
            case "pause handler" -> pauseFor(fields, operations::pauseHandler, operations::pauseHandler);
            case "pause stream" -> pauseFor(fields, operations::pauseStream, operations::pauseStream);
            case "resume handler" -> operations::resumeHandler;
            case "resume stream" -> operations::resumeStream;
            case "expire handler" -> operations::expireHandler;
            case "expire subscription" ->
                (handler, operator, reason) ->
                        operations.expireSubscription(handler, fields.getOrDefault("eventType", ""), operator, reason);
            case "resume inbox" ->
                (inbox, operator, reason) -> {
                    operations.resumeInbox(inbox, inboxStart(fields), operator, reason);
                    return true;
                };
            default ->
                throw new InvalidOperationException(
                        "The console can pause and resume handlers and streams, resume inboxes, and expire handlers and subscriptions only.");
        };
    }

    private static Change pauseFor(Map<String, String> fields, Change untilResumed, LastingPause lasting) {
        return (name, operator, reason) -> {
            Duration duration = new RequestFilters(fields).duration("duration");
            return duration == null
                    ? untilResumed.apply(name, operator, reason)
                    : lasting.apply(name, duration, operator, reason);
        };
    }

    private static InboxStart inboxStart(Map<String, String> fields) {
        try {
            return InboxStart.valueOf(fields.getOrDefault("at", ""));
        } catch (IllegalArgumentException e) {
            throw new InvalidOperationException("Choose where the inbox continues.");
        }
    }

    private ServerResponse set(ServerRequest request, String action, String outcome) {
        Inputs inputs = new Inputs(request);
        Map<String, String> fields = inputs.texts(FIELDS);
        fields.put("action", action);
        Change change = change(fields);
        try {
            boolean changed = change.apply(inputs.required("name"), Operators.of(request), inputs.required("reason"));
            snapshots.expire();
            return views.redirect(request, views.links(request).home(), changed ? outcome : "unchanged");
        } catch (InvalidOperationException e) {
            return views.refused(request, "confirm", confirmation(fields), e);
        }
    }
}
