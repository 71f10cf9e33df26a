package dev.outbox.spring.autoconfigure.events;

import dev.outbox.OutboxEvent;
import org.jspecify.annotations.Nullable;

/** Spring events that the outbox stores, although their classes are not marked {@link dev.outbox.Outboxed}. */
@FunctionalInterface
public interface UnmarkedEvents {

    /** Returns the event to store, or {@code null} if it is none of these. */
    @Nullable
    OutboxEvent read(Object event);
}
