package dev.outbox.chaos.history;

import dev.outbox.HandlerDefinition;
import dev.outbox.chaos.history.Fact.Outcome;
import dev.outbox.chaos.history.Fact.Subscribed;
import java.util.Set;

/** Puts facts around the body of a handler, inside its transaction if it has one. */
public final class RecordedHandler {

    private RecordedHandler() {}

    /** Returns the handler with facts around it. */
    public static HandlerDefinition of(HandlerDefinition handler, FactWriter facts) {
        return handler.decorated((own) -> (payload, envelope, context) -> {
            facts.started(handler.id(), envelope, context);
            Outcome outcome = Outcome.FAILED;
            try {
                own.handle(payload, envelope, context);
                outcome = Outcome.SUCCEEDED;
            } catch (InterruptedException e) {
                outcome = Outcome.INTERRUPTED;
                throw e;
            } finally {
                facts.ended(handler.id(), envelope, context, outcome);
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
}
