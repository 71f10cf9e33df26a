package dev.outbox.forwarding.internal;

import dev.outbox.RetryAfterException;
import dev.outbox.internal.failure.Causes;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Failure to send a message.
 *
 * @param cause what the outbox receives, which decides whether the attempt counts
 * @param scope what else would fail the same way
 */
public record Fault(Throwable cause, Scope scope) {

    /** How long an event waits for the broker before its next attempt. */
    static final Duration RETRY_DELAY = Duration.ofSeconds(5);

    /** What else would fail the same way. */
    public enum Scope {
        /** Nothing: the message is at fault. */
        MESSAGE,
        /** The other messages of a partition. */
        UNIT,
        /** The other messages of a destination. */
        DESTINATION,
        /** Every message. */
        CONNECTION
    }

    /** Returns a fault of the environment, which no event can help: the attempt does not count, and the log has the fault of the route only. */
    public static Fault ofEnvironment(Scope scope, String message, @Nullable Throwable cause) {
        return new Fault(RetryAfterException.uncounted(RETRY_DELAY, message, Causes.selfReportedOutage(cause)), scope);
    }

    /** Returns whether other messages meet the fault too. */
    boolean isOfEnvironment() {
        return scope != Scope.MESSAGE;
    }

    String message() {
        return String.valueOf(cause.getMessage());
    }
}
