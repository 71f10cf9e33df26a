package dev.outbox.internal.dispatch;

import dev.outbox.internal.failure.Failure;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Outcome of offering an event to one handler. */
public sealed interface DeliveryOutcome {

    /** Returns the name that statements know the outcome by. */
    String kind();

    /** Returns whether the handler's later events of the aggregate have to wait. */
    default boolean blocksLane() {
        return true;
    }

    /** Returns the time until the next attempt. */
    default Duration delay() {
        return Duration.ZERO;
    }

    /** Returns the failure, if there was one. */
    default @Nullable Failure failure() {
        return null;
    }

    /** Returns the code of the failure, if there was one. */
    default @Nullable String code() {
        Failure failure = failure();
        return failure == null ? null : failure.code();
    }

    /** Returns the message of the failure, if there was one. */
    default @Nullable String message() {
        Failure failure = failure();
        return failure == null ? null : failure.message();
    }

    /** The handler returned. */
    record Succeeded() implements DeliveryOutcome {

        @Override
        public String kind() {
            return "SUCCEEDED";
        }

        @Override
        public boolean blocksLane() {
            return false;
        }
    }

    /** The handler failed and is tried again; a database outage is not counted as a failure. */
    record Retry(Failure failure, Duration delay, boolean counted) implements DeliveryOutcome {

        @Override
        public String kind() {
            return counted ? "FAILED" : "DEFERRED";
        }
    }

    /** The handler failed and is not tried again. */
    record Dead(Failure failure, boolean blocksLane) implements DeliveryOutcome {

        @Override
        public String kind() {
            return blocksLane ? "BLOCKED" : "DEAD";
        }
    }

    /** The handler was not invoked: its lane has earlier work, it is paused, or its circuit is open. */
    record Queued() implements DeliveryOutcome {

        @Override
        public String kind() {
            return "QUEUED";
        }
    }

    /** Only other instances have the handler. */
    record Delegated() implements DeliveryOutcome {

        @Override
        public String kind() {
            return "QUEUED";
        }
    }

    /** The process is closing or has lost its lease: nothing is known, and nothing is written. */
    record Abandoned() implements DeliveryOutcome {

        @Override
        public String kind() {
            return "ABANDONED";
        }
    }
}
