package dev.outbox.sample.operations;

import dev.outbox.operations.ReplayRequest;
import jakarta.validation.constraints.NotBlank;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Request for a replay: the handler, the events, the operator and the reason. A missing criterion matches all events. */
record ReplayOrder(
        @NotBlank String handler,
        @Nullable Instant occurredFrom,
        @Nullable Instant occurredTo,
        @Nullable Set<String> eventTypes,
        @Nullable String aggregateType,
        @Nullable String aggregateId,
        @Nullable Integer rate,
        @Nullable String by,
        @NotBlank String reason) {

    ReplayRequest request() {
        ReplayRequest all = ReplayRequest.of(handler);
        return new ReplayRequest(
                handler,
                occurredFrom,
                occurredTo,
                Objects.requireNonNullElse(eventTypes, Set.of()),
                aggregateType,
                aggregateId,
                rate == null ? all.rate() : rate);
    }
}
