package dev.outbox.internal.publish;

import dev.outbox.internal.notify.WakeUp;
import java.util.List;
import java.util.UUID;

/** Events that a transaction committed: what they wake, and the ids of all or the first. Some may belong to a rolled-back savepoint. */
public record CommittedEvents(WakeUp wakeUp, List<UUID> eventIds) {

    /** A list with more than so many ids may not hold all. */
    public static final int MOST_IDS = 100;
}
