package dev.outbox.sample.operations;

import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.ReplayRequest.Aggregate;
import dev.outbox.operations.ReplayRequest.Selection;
import dev.outbox.operations.ReplayRequest.TimeRange;
import jakarta.validation.constraints.NotBlank;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Request for a replay: the handler, the events, the operator and the reason. A missing criterion matches all events. */
record ReplayOrder(
        @NotBlank String handler,
        @Nullable Instant occurredFrom,
        @Nullable Instant occurredTo,
        @Nullable Instant publishedFrom,
        @Nullable Instant publishedTo,
        @Nullable Set<String> eventTypes,
        @Nullable String aggregateType,
        @Nullable String aggregateId,
        @Nullable Set<UUID> eventIds,
        @Nullable Integer rate,
        @Nullable String by,
        @NotBlank String reason) {

    ReplayRequest request() {
        ReplayRequest all = ReplayRequest.of(handler);
        Selection selection = new Selection(
                new TimeRange(occurredFrom, occurredTo),
                new TimeRange(publishedFrom, publishedTo),
                Objects.requireNonNullElse(eventTypes, Set.of()),
                aggregateType == null ? null : new Aggregate(aggregateType, aggregateId),
                Objects.requireNonNullElse(eventIds, Set.of()));
        return new ReplayRequest(handler, selection, rate == null ? all.rate() : rate);
    }
}
