package dev.outbox.chaos.process;

import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.HandlerDefinition.ContextHandler;
import dev.outbox.chaos.history.Fact.Outcome;
import dev.outbox.chaos.history.FactWriter;
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
        return handler.decorated(
                (body) -> (payload, event, context) -> run(handler.id(), payload, event, context, body));
    }

    private void run(
            String handler, Object payload, EventEnvelope event, EventContext context, ContextHandler<Object> body)
            throws Exception {
        facts.started(handler, event, context);
        Outcome outcome = Outcome.FAILED;
        try {
            if (!slowness.isZero()) {
                WorkerHandlers.hold(slowness);
            }
            if (event.aggregateType().equals(WorkerHandlers.STORMY) && System.nanoTime() < stormUntil) {
                rage(event, context.attempt());
            }
            body.handle(payload, event, context);
            outcome = Outcome.SUCCEEDED;
        } catch (InterruptedException e) {
            outcome = Outcome.INTERRUPTED;
            throw e;
        } finally {
            facts.ended(handler, event, context, outcome);
        }
    }

    private static void rage(EventEnvelope event, int attempt) throws InterruptedException {
        WorkerHandlers.hold(STORM);
        if (attempt == 1 && WorkerHandlers.chance(event, 3) == 0) {
            throw new IllegalStateException("Every third first attempt fails in a retry storm");
        }
    }
}
