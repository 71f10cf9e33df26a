package dev.outbox.internal.dispatch;

import java.util.Set;

/** Lanes of claimed events that wait: the claim found them blocked, or an earlier event of the claim has blocked them. */
public interface BlockedLanes {

    /** Returns the ids of the handlers that must not get an event yet. */
    Set<String> of(ClaimedEvent event);

    /** Blocks a handler for the later events of an aggregate. */
    void block(ClaimedEvent event, String handlerId);
}
