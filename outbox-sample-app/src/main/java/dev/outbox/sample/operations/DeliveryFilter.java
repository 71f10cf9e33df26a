package dev.outbox.sample.operations;

import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
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
        DeliverySelection all = DeliverySelection.all();
        return new DeliverySelection(
                handler,
                aggregateType,
                aggregateId,
                eventId,
                stream,
                eventType,
                errorCode,
                null,
                null,
                status == null ? all.statuses() : status,
                null,
                null);
    }
}
