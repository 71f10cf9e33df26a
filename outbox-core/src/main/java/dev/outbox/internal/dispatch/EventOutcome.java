package dev.outbox.internal.dispatch;

import dev.outbox.internal.delivery.ClaimedEvent;
import java.util.List;

/** What came of offering one event to all its handlers. */
public record EventOutcome(ClaimedEvent event, List<OfHandler> handlers) {

    /** Copies the list. */
    public EventOutcome {
        handlers = List.copyOf(handlers);
    }

    /** What came of one handler. */
    public record OfHandler(String handlerId, Outcome outcome) {}

    /** Says whether every handler has handled the event. */
    public boolean succeeded() {
        for (OfHandler one : handlers) {
            if (!(one.outcome() instanceof Outcome.Succeeded)) {
                return false;
            }
        }
        return true;
    }

    /** Says whether something is left to try. */
    public boolean open() {
        for (OfHandler one : handlers) {
            if (one.outcome() instanceof Outcome.Failed
                    || one.outcome() instanceof Outcome.Queued
                    || one.outcome() instanceof Outcome.Delegated) {
                return true;
            }
        }
        return false;
    }

    /** Says whether another process has something to do with it. */
    public boolean delegated() {
        for (OfHandler one : handlers) {
            if (one.outcome() instanceof Outcome.Delegated) {
                return true;
            }
        }
        return false;
    }

    /** Says whether the pass was cut short by the end of the process, so that nothing may be written about it. */
    public boolean abandoned() {
        for (OfHandler one : handlers) {
            if (one.outcome() instanceof Outcome.Abandoned) {
                return true;
            }
        }
        return false;
    }
}
