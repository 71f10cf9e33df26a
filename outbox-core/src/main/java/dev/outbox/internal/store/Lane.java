package dev.outbox.internal.store;

import dev.outbox.internal.delivery.DueDelivery;

/** Identifies a lane: what one handler has still to do for one aggregate. */
record Lane(String handlerId, String aggregateType, String aggregateId) {

    static Lane of(DueDelivery delivery) {
        return new Lane(
                delivery.handlerId(),
                delivery.envelope().aggregateType(),
                delivery.envelope().aggregateId());
    }
}
