package dev.outbox.chaos.process;

import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerCode.ContextHandler;
import dev.outbox.HandlerDefinition;
import dev.outbox.chaos.history.Fact.Ended;
import dev.outbox.chaos.history.Fact.Outcome;
import dev.outbox.chaos.history.Fact.Started;
import dev.outbox.chaos.history.FactWriter;
import java.time.Duration;

/** Writes a fact before and after every call of a handler, and slows handlers down when the nemesis says so. */
final class RecordedHandlers {

    private final FactWriter facts;
    private volatile Duration slowness = Duration.ZERO;

    RecordedHandlers(FactWriter facts) {
        this.facts = facts;
    }

    void slowDown(long millis) {
        slowness = Duration.ofMillis(millis);
    }

    HandlerDefinition recorded(HandlerDefinition handler) {
        return handler.decorated(
                (body) -> (payload, event, context) -> run(handler.id(), payload, event, context, body));
    }

    private void run(
            String handler, Object payload, EventEnvelope event, EventContext context, ContextHandler<Object> body)
            throws Exception {
        int attempt = context.attempt();
        facts.write(new Started(
                System.nanoTime(),
                facts.process(),
                handler,
                event.eventId(),
                event.aggregateType(),
                event.aggregateId(),
                event.aggregateSeq(),
                attempt,
                event.payload(),
                event.headers(),
                event.replayed()));
        Outcome outcome = Outcome.FAILED;
        try {
            if (!slowness.isZero()) {
                WorkerHandlers.hold(slowness);
            }
            body.handle(payload, event, context);
            outcome = Outcome.SUCCEEDED;
        } catch (InterruptedException e) {
            outcome = Outcome.INTERRUPTED;
            throw e;
        } finally {
            facts.write(new Ended(System.nanoTime(), facts.process(), handler, event.eventId(), attempt, outcome));
        }
    }
}
