package dev.outbox.spring.autoconfigure.endpoint;

import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.EventDetails;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.LaneReport;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.Replays;
import dev.outbox.operations.ScheduledEvents;
import dev.outbox.spring.internal.RequestFilters;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.util.RawValue;

/** Answers the questions of the endpoint. */
final class EndpointReads {

    private static final int DEFAULT_LIMIT = 100;
    private static final int LARGEST_LIMIT = 1000;
    private static final UUID NO_EVENT = new UUID(0, 0);

    private final OutboxInspector inspector;
    private final OutboxOperations operations;
    private final Replays replays;
    private final ScheduledEvents scheduled;
    private final boolean showPayloads;

    EndpointReads(
            OutboxInspector inspector,
            OutboxOperations operations,
            Replays replays,
            ScheduledEvents scheduled,
            boolean showPayloads) {
        this.inspector = inspector;
        this.operations = operations;
        this.replays = replays;
        this.scheduled = scheduled;
        this.showPayloads = showPayloads;
    }

    /** Deliveries, and where the next page begins; {@code null} if there is none. */
    record DeliveryPage(List<Delivery> deliveries, @Nullable String next) {}

    /** Operations, and where the next page begins; {@code null} if there is none. */
    record OperationPage(
            List<Operation> operations, @Nullable Long next) {}

    /** Lane with what it waits for in words. */
    record Lane(String explanation, String remedy, LaneReport report) {}

    /** Event, with its payload and headers if they may be shown. */
    record Event(
            EventDetails details,
            @Nullable RawValue payload,
            @Nullable Map<String, String> headers) {}

    /** Asks the database anything. */
    Optional<EventDetails> ask() {
        return inspector.findEvent(NO_EVENT);
    }

    Object overview() {
        return inspector.overview();
    }

    @Nullable
    Object find(String part, RequestFilters filter) {
        return switch (part) {
            case "deliveries" -> deliveries(filter);
            case "failures" -> {
                filter.end(part);
                yield Map.of("failures", inspector.failures());
            }
            case "lanes" -> lanes(filter);
            case "events" -> {
                int limit = limit(filter);
                yield inspector.findEvents(filter.events(part), limit);
            }
            case "operations" -> operations(filter);
            case "replays" -> {
                filter.end(part);
                yield Map.of("replays", replays.list());
            }
            case "scheduled" -> {
                int limit = limit(filter);
                String type = filter.text("aggregateType");
                String id = filter.text("aggregateId");
                filter.end(part);
                yield Map.of("scheduled", scheduled.find(type, id, limit));
            }
            default -> null;
        };
    }

    @Nullable
    Object get(String part, String id) {
        return switch (part) {
            case "events" -> event(RequestFilters.uuid("id", id)).orElse(null);
            case "replays" ->
                Optional.ofNullable(new RequestFilters(Map.of("id", id)).number("id"))
                        .flatMap(replays::find)
                        .orElse(null);
            default -> null;
        };
    }

    private DeliveryPage deliveries(RequestFilters filter) {
        int limit = limit(filter);
        DeliverySelection.Place after = filter.after();
        DeliverySelection selection = filter.deliveries("deliveries");
        List<Delivery> found =
                operations.find(after == null ? selection : selection.after(after.id(), after.handlerId()), limit);
        if (found.size() < limit) {
            return new DeliveryPage(found, null);
        }
        Delivery last = found.get(found.size() - 1);
        return new DeliveryPage(
                found,
                RequestFilters.next(new DeliverySelection.Place(last.event().id(), last.handlerId())));
    }

    private Object lanes(RequestFilters filter) {
        String handler = filter.text("handler");
        String type = filter.required("aggregateType");
        String id = filter.required("aggregateId");
        filter.end("lanes");
        return Map.of(
                "lanes",
                inspector.lanes(type, id).stream()
                        .filter((report) -> handler == null || handler.equals(report.handlerId()))
                        .map((report) -> new Lane(report.explanation(), report.remedy(), report))
                        .toList());
    }

    private OperationPage operations(RequestFilters filter) {
        int limit = limit(filter);
        List<Operation> found = operations.operations(filter.operations("operations"), limit);
        return new OperationPage(
                found, found.size() < limit ? null : found.get(found.size() - 1).id());
    }

    private Optional<Event> event(UUID id) {
        EventDetails.Content content = showPayloads ? inspector.findContent(id).orElse(null) : null;
        return inspector
                .findEvent(id)
                .map((details) -> content == null
                        ? new Event(details, null, null)
                        : new Event(details, new RawValue(content.payload()), content.headers()));
    }

    private static int limit(RequestFilters filter) {
        Long limit = filter.number("limit");
        if (limit != null && (limit < 1 || limit > LARGEST_LIMIT)) {
            throw new InvalidOperationException("'limit' must be from 1 to " + LARGEST_LIMIT + ", not " + limit);
        }
        return limit == null ? DEFAULT_LIMIT : limit.intValue();
    }
}
