package dev.outbox.forwarding.internal;

import dev.outbox.forwarding.internal.Fault.Scope;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What fails together: a partition, a destination or the connection. A unit that has failed, or has not answered for a while, is suspect: a
 * few open messages probe it, and the others are not sent. Safe for use by many threads.
 */
final class Unit {

    /** How long a unit may be silent while messages are open before it is suspect. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final String name;
    private final int mostOpenIfSuspect;
    private int open;
    private long answeredAt;
    private @Nullable Fault fault;
    private long pausedUntil;

    Unit(String name, int mostOpenIfSuspect) {
        this.name = name;
        this.mostOpenIfSuspect = mostOpenIfSuspect;
    }

    String name() {
        return name;
    }

    synchronized boolean isSuspect(long now) {
        return fault != null || (open > 0 && now - answeredAt > PATIENCE.toNanos());
    }

    /** Returns why a message must not be sent now, or {@code null} if it may. */
    synchronized @Nullable Fault refusal(long now) {
        if (!isSuspect(now)) {
            return null;
        }
        Fault pause = pause(now);
        if (pause != null) {
            return pause;
        }
        return open < mostOpenIfSuspect
                ? null
                : Fault.ofEnvironment(Scope.MESSAGE, "not sent, because earlier messages have no answer yet", null);
    }

    /** Returns the fault for which nothing must be sent now, or {@code null} if it may. */
    synchronized @Nullable Fault pause(long now) {
        return fault != null && now - pausedUntil < 0 ? fault : null;
    }

    synchronized void begin(long now) {
        if (open == 0) {
            answeredAt = now;
        }
        open++;
    }

    synchronized void end() {
        open--;
    }

    /** Notes that the unit works. */
    synchronized void works(long now) {
        fault = null;
        answeredAt = now;
    }

    /** Notes that the unit has taken a message, which does not end a fault. */
    synchronized void takes(long now) {
        if (fault == null) {
            answeredAt = now;
        }
    }

    /** Pauses the unit. */
    synchronized void failed(Fault failure, long until) {
        fault = failure;
        pausedUntil = until;
    }
}
