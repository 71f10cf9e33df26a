package dev.outbox.internal.delivery;

import dev.outbox.internal.failure.Failure;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A delivery that leaves the fast lane. */
public record Parked(
        long outboxId,
        String handlerId,
        Kind kind,
        Duration delay,
        @Nullable Failure failure) {

    /** Why a delivery leaves the fast lane. */
    public enum Kind {
        /** The handler failed and is to be tried again. */
        FAILED,
        /** The handler could not do its work, for which the event is not to blame: as failed, but not counted. */
        DEFERRED,
        /** The handler was not invoked: its lane has earlier work, or it lives in another process. */
        QUEUED,
        /** The handler failed and is not to be tried again; its lane goes on. */
        DEAD,
        /** The handler failed and is not to be tried again; its lane waits for an operator. */
        BLOCKED
    }
}
