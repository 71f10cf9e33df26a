package dev.outbox;

import java.util.List;

/**
 * Invocation of a handler, as a {@link HandlerInterceptor} sees it.
 *
 * @param handlerId the handler
 * @param events the events of the invocation: one, or those of a batch handler, each aggregate in order
 * @param context the attempt; of a batch, its number is the highest
 */
public record HandlerCall(String handlerId, List<EventEnvelope> events, EventContext context) {

    /** Copies the events. */
    public HandlerCall {
        events = List.copyOf(events);
    }

    /** {@return the number of the attempt, at least 1} */
    public int attempt() {
        return context.attempt();
    }

    /** {@return whether any of the events is delivered by a replay} */
    public boolean replayed() {
        for (EventEnvelope event : events) {
            if (event.replayed()) {
                return true;
            }
        }
        return false;
    }
}
