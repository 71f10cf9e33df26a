package dev.outbox.chaos.process;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.chaos.history.FactWriter;
import dev.outbox.chaos.history.RecordedHandler;
import java.time.Duration;

/** Writes a fact before and after every call of a handler, and slows handlers down when the nemesis says so. */
final class RecordedHandlers {

    /** With two handlers for each payment, the workers together are slower than the publishers. */
    private static final Duration STORM = Duration.ofMillis(120);

    private final FactWriter facts;
    private volatile Duration slowness = Duration.ZERO;
    private volatile long stormUntil = Long.MIN_VALUE;

    RecordedHandlers(FactWriter facts) {
        this.facts = facts;
    }

    void slowDown(long millis) {
        slowness = Duration.ofMillis(millis);
    }

    /** Slows the handlers of payments down for some time, so that a backlog stays, and fails every third first attempt. */
    void storm(long millis) {
        stormUntil = System.nanoTime() + Duration.ofMillis(millis).toNanos();
    }

    HandlerDefinition recorded(HandlerDefinition handler) {
        return RecordedHandler.of(
                handler.decorated((body) -> (payload, event, context) -> {
                    disturb(event, context.attempt());
                    body.handle(payload, event, context);
                }),
                facts);
    }

    private void disturb(EventEnvelope event, int attempt) throws InterruptedException {
        if (!slowness.isZero()) {
            WorkerHandlers.hold(slowness);
        }
        if (event.aggregateType().equals(WorkerHandlers.STORMY) && System.nanoTime() < stormUntil) {
            rage(event, attempt);
        }
    }

    private static void rage(EventEnvelope event, int attempt) throws InterruptedException {
        WorkerHandlers.hold(STORM);
        if (attempt == 1 && WorkerHandlers.chance(event, 3) == 0) {
            throw new IllegalStateException("Every third first attempt fails in a retry storm");
        }
    }
}
