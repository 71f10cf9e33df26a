package dev.outbox.internal.dispatch;

import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.HandlerDefinition.ContextHandler;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Mark of a batch handler that reports the outcome of each event, perhaps later, and so gets whole batches with one attempt too, but cannot
 * deduplicate.
 */
public record SingleFailures(ContextHandler<Object> own) implements ContextHandler<Object> {

    /** Returns the same handler with the mark. Another decorator takes it off. */
    public static HandlerDefinition markedOn(HandlerDefinition handler) {
        return handler.decorated(SingleFailures::new);
    }

    static boolean isMarked(HandlerDefinition handler) {
        AtomicBoolean marked = new AtomicBoolean();
        handler.decorated((own) -> {
            marked.set(own instanceof SingleFailures);
            return own;
        });
        return marked.get();
    }

    @Override
    public void handle(Object payload, EventEnvelope envelope, EventContext context) throws Exception {
        own.handle(payload, envelope, context);
    }
}
