package dev.outbox.spring.autoconfigure.endpoint;

import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.EventSelection;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.ReplayRequest;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Translates filters to selections. */
final class EndpointSelections {

    private EndpointSelections() {}

    static DeliverySelection deliveries(EndpointFilter filter) {
        DeliverySelection all = DeliverySelection.all();
        Set<DeliveryStatus> statuses =
                filter.parsed("status", EndpointSelections::statuses, "DUE, WAITING or DEAD, separated by commas");
        return new DeliverySelection(
                filter.text("handler"),
                filter.text("aggregateType"),
                filter.text("aggregateId"),
                filter.uuid("event"),
                filter.text("stream"),
                filter.text("eventType"),
                filter.text("errorCode"),
                new DeliverySelection.Span(filter.time("since"), filter.time("until")),
                statuses == null ? all.statuses() : statuses,
                all.page());
    }

    private static Set<DeliveryStatus> statuses(String list) {
        return Arrays.stream(list.split(",", -1))
                .map((name) -> DeliveryStatus.valueOf(name.strip().toUpperCase(Locale.ROOT)))
                .collect(Collectors.toSet());
    }

    static EventSelection events(EndpointFilter filter) {
        return new EventSelection(
                filter.text("aggregateType"),
                filter.text("aggregateId"),
                filter.text("eventType"),
                filter.text("trace"),
                filter.number("after"));
    }

    static OperationSelection operations(EndpointFilter filter) {
        return new OperationSelection(
                filter.uuid("event"),
                filter.text("handler"),
                filter.text("actor"),
                new DeliverySelection.Span(filter.time("since"), filter.time("until")),
                filter.number("after"));
    }

    static ReplayRequest replay(EndpointFilter filter, @Nullable Long rate) {
        ReplayRequest all = ReplayRequest.of(filter.required("handler"));
        String eventTypes = filter.text("eventType");
        ReplayRequest request = new ReplayRequest(
                all.handlerId(),
                filter.time("since"),
                filter.time("until"),
                eventTypes == null
                        ? all.eventTypes()
                        : Set.copyOf(List.of(eventTypes.strip().split("\\s*,\\s*", -1))),
                filter.text("aggregateType"),
                filter.text("aggregateId"),
                all.rate());
        return rate == null ? request : request.rate(Math.toIntExact(Math.min(rate, Integer.MAX_VALUE)));
    }
}
