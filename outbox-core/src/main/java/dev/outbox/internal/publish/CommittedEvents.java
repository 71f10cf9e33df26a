package dev.outbox.internal.publish;

import java.util.List;
import java.util.UUID;

/** Events that a transaction committed in a stream: their ids, or the first ones of many. Some may belong to a rolled-back savepoint. */
public record CommittedEvents(String stream, List<UUID> eventIds) {

    /** A list with more than so many ids may not hold all. */
    public static final int MOST_IDS = 100;
}
