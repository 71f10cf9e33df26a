package dev.outbox.forwarding.internal;

import dev.outbox.forwarding.internal.Fault.Scope;
import org.jspecify.annotations.Nullable;

/**
 * What fails together: a partition, a destination or the connection. A unit that has failed or kept a caller waiting is suspect: callers
 * do not wait for it, and a few open messages probe it, until one is answered promptly or none is open. Safe for use by many threads.
 */
final class Unit {

    private final String name;
    private final int mostOpenIfSuspect;
    private boolean suspect;
    private int open;
    private @Nullable Fault fault;
    private long pausedUntil;

    Unit(String name, int mostOpenIfSuspect) {
        this.name = name;
        this.mostOpenIfSuspect = mostOpenIfSuspect;
    }

    String name() {
        return name;
    }

    synchronized boolean isSuspect() {
        return suspect;
    }

    /** Returns why a message must not be sent now, or {@code null} if it may. */
    synchronized @Nullable Fault refusal(long now) {
        if (!suspect) {
            return null;
        }
        if (fault != null && now - pausedUntil < 0) {
            return fault;
        }
        return open < mostOpenIfSuspect
                ? null
                : Fault.ofEnvironment(Scope.MESSAGE, "not sent, because earlier messages have no answer yet", null);
    }

    synchronized void begin() {
        open++;
    }

    synchronized void end() {
        open--;
    }

    /** Notes that the unit works. */
    synchronized void works(boolean promptly) {
        fault = null;
        suspect &= !promptly && open > 0;
    }

    /** Notes that the unit has taken a message, which does not end a fault. */
    synchronized void takes(boolean promptly) {
        if (fault == null) {
            works(promptly);
        }
    }

    /** Pauses the unit. */
    synchronized void failed(Fault failure, long until) {
        suspect = true;
        fault = failure;
        pausedUntil = until;
    }

    /** Notes that a message has no answer in time. */
    synchronized void late() {
        suspect |= open > 0;
    }
}
