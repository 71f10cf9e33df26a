package dev.outbox.internal.dispatch;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Keeps crash suspects apart: one of them may crash the process, and the others must not be blamed for it. Thread-safe. */
public final class CrashSuspects {

    private final AtomicReference<@Nullable Object> occupant = new AtomicReference<>();

    /** Returns whether this pass may claim suspects now. */
    public boolean tryAcquire(Object pass) {
        return occupant.compareAndSet(null, pass);
    }

    /** Lets the next pass claim suspects. */
    public void release(Object pass) {
        occupant.compareAndSet(pass, null);
    }
}
