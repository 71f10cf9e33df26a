package dev.outbox.internal.dispatch;

import dev.outbox.EventEnvelope;
import dev.outbox.internal.payload.PayloadReader.EventPayload;
import dev.outbox.internal.publish.NewEvent;

/** Event of a batch, with its attempt. */
record BatchItem(EventEnvelope envelope, EventPayload payload, Attempt attempt) {

    long id() {
        return envelope.id();
    }

    NewEvent.Aggregate aggregate() {
        return new NewEvent.Aggregate(envelope.aggregateType(), envelope.aggregateId());
    }
}
