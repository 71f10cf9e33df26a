package dev.outbox.internal.dispatch;

import java.util.Map;

/** Event that was offered to all its handlers, with the outcome for each handler id. */
public record DispatchedEvent(ClaimedEvent event, Map<String, DeliveryOutcome> outcomes) {

    /** Returns the id of the event's row. */
    public long id() {
        return event.envelope().id();
    }

    /** Returns whether every handler has handled the event. */
    public boolean succeeded() {
        for (DeliveryOutcome outcome : outcomes.values()) {
            if (!(outcome instanceof DeliveryOutcome.Succeeded)) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether a handler is left to try. */
    public boolean isOpen() {
        for (DeliveryOutcome outcome : outcomes.values()) {
            if (!(outcome instanceof DeliveryOutcome.Succeeded) && !(outcome instanceof DeliveryOutcome.Dead)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether another instance has to handle it. */
    public boolean isDelegated() {
        for (DeliveryOutcome outcome : outcomes.values()) {
            if (outcome instanceof DeliveryOutcome.Delegated) {
                return true;
            }
        }
        return false;
    }
}
