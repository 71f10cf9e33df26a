package dev.outbox.internal.dispatch;

import java.util.Map;

/** Event that was offered to all its handlers, with the outcome for each handler id; delegated if only other instances have one of them. */
public record DispatchedEvent(ClaimedEvent event, Map<String, DeliveryOutcome> outcomes, boolean delegated) {

    /** Returns the id of the event's row. */
    public long id() {
        return event.envelope().id();
    }

    /** Returns whether every handler has handled the event. */
    public boolean succeeded() {
        for (DeliveryOutcome outcome : outcomes.values()) {
            if (!outcome.succeeded()) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a handler is left to try. */
    public boolean isOpen() {
        for (DeliveryOutcome outcome : outcomes.values()) {
            if (!outcome.succeeded() && !outcome.isDead()) {
                return true;
            }
        }
        return false;
    }
}
