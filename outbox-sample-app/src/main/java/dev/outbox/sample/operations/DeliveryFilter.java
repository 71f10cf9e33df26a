package dev.outbox.sample.operations;

import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import java.util.EnumSet;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Filter for deliveries from the request parameters. A missing parameter matches all. */
record DeliveryFilter(
        @Nullable String handler,
        @Nullable Set<DeliveryStatus> status,
        @Nullable String stream,
        @Nullable String eventType,
        @Nullable String aggregateType,
        @Nullable String aggregateId,
        @Nullable UUID eventId,
        @Nullable String errorCode) {

    DeliverySelection selection() {
        return new DeliverySelection(
                new DeliverySelection.Lane(handler, aggregateType, aggregateId),
                new DeliverySelection.Events(eventId, stream, eventType, errorCode),
                new DeliverySelection.Span(null, null),
                status == null ? EnumSet.allOf(DeliveryStatus.class) : status,
                null,
                null);
    }
}
