package dev.outbox.internal.processing;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Keeps deliveries apart that have outlived a lease: one of them may take the process down, and the others must not be held
 * responsible. Safe for use by many threads.
 */
public final class CrashSuspects {

    private final AtomicReference<@Nullable Object> occupant = new AtomicReference<>();

    /** Creates an empty suspects. */
    public CrashSuspects() {}

    /** Enters it, if nobody else is in it. */
    boolean enter(Object who) {
        return occupant.compareAndSet(null, who);
    }

    /** Leaves it, if it is occupied by this one. */
    void leave(Object who) {
        occupant.compareAndSet(who, null);
    }
}
