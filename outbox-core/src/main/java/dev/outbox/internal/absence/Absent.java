package dev.outbox.internal.absence;

import dev.outbox.internal.registry.Subscription;
import dev.outbox.internal.sql.Counted;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Kind of events whose deliveries wait for a handler in vain: how many, and how many later ones that the handler takes wait behind them;
 * the last heartbeat of the handler under this id; that of its subscriptions to such events, with their event types, if they have not
 * expired; and the event types that it has taken only since.
 */
public record Absent(
        String id,
        Problem problem,
        Subscription kind,
        Counted waiting,
        Counted behind,
        @Nullable Instant lastSeen,
        @Nullable Instant lastTaken,
        Set<String> takenTypes,
        Set<String> newTypes) {

    /** Why no running instance takes the deliveries: none has the handler, the handler does not select them, or none polls their stream. */
    public enum Problem {
        ABSENT,
        NOT_SELECTED,
        UNPOLLED
    }
}
