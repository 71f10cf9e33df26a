package dev.outbox.chaos.history;

import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.chaos.history.Fact.Ended;
import dev.outbox.chaos.history.Fact.Outcome;
import dev.outbox.chaos.history.Fact.Started;
import dev.outbox.chaos.history.Fact.Subscribed;
import java.util.Set;

/** Puts facts around the body of a handler, inside its transaction if it has one. */
public final class RecordedHandler {

    private final FactWriter facts;
    private final String handlerId;

    private RecordedHandler(FactWriter facts, String handlerId) {
        this.facts = facts;
        this.handlerId = handlerId;
    }

    /** Returns the handler with facts around it. */
    public static HandlerDefinition of(HandlerDefinition handler, FactWriter facts) {
        RecordedHandler recorded = new RecordedHandler(facts, handler.id());
        return handler.decorated((own) -> (payload, envelope, context) -> {
            recorded.starts(envelope, context);
            Outcome outcome = Outcome.FAILED;
            try {
                own.handle(payload, envelope, context);
                outcome = Outcome.SUCCEEDED;
            } finally {
                // A handler that swallows its interrupt leaves the flag; the library judges it by its time.
                boolean interrupted = Thread.currentThread().isInterrupted();
                recorded.ends(envelope, context, interrupted ? Outcome.INTERRUPTED : outcome);
            }
        });
    }

    /** Writes that handlers are registered: to be called when the outbox has started. */
    public static void subscribed(FactWriter facts, Iterable<HandlerDefinition> handlers) {
        for (HandlerDefinition handler : handlers) {
            facts.write(new Subscribed(
                    System.nanoTime(),
                    facts.process(),
                    handler.id(),
                    handler.eventTypes(),
                    Set.copyOf(handler.aliases()),
                    handler.deduplicates()));
        }
    }

    private void starts(EventEnvelope event, EventContext context) {
        facts.write(new Started(
                System.nanoTime(),
                facts.process(),
                handlerId,
                event.eventId(),
                event.aggregateType(),
                event.aggregateId(),
                event.sequence(),
                context.attempt(),
                event.payload(),
                event.headers(),
                event.replayed()));
    }

    private void ends(EventEnvelope event, EventContext context, Outcome outcome) {
        facts.write(
                new Ended(System.nanoTime(), facts.process(), handlerId, event.eventId(), context.attempt(), outcome));
    }
}
