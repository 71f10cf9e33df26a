package dev.outbox.internal.dispatch;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.listener.OutboxListener;
import dev.outbox.listener.OutboxListener.Result;
import java.time.Clock;
import java.time.Duration;

/** Tells the listener how attempts ended. */
record OutcomeReport(OutboxListener listener, Clock clock) {

    void handled(HandlerDefinition handler, EventEnvelope envelope, DeliveryOutcome outcome, Duration duration) {
        OutboxListener.Attempt attempt =
                new OutboxListener.Attempt(envelope.stream(), envelope.eventType(), handler.id());
        switch (outcome.kind()) {
            case SUCCEEDED -> {
                listener.handled(attempt, Result.SUCCESS, duration);
                listener.delivered(envelope.stream(), Duration.between(envelope.occurredAt(), clock.instant()));
            }
            case FAILED, DEFERRED -> listener.handled(attempt, Result.RETRY, duration);
            case DEAD, BLOCKED -> listener.handled(attempt, Result.DEAD, duration);
            case QUEUED, ABANDONED -> {}
        }
    }

    void circuitOpened(HandlerDefinition handler, EventEnvelope envelope) {
        listener.circuitOpened(envelope.stream(), handler.id());
    }
}
