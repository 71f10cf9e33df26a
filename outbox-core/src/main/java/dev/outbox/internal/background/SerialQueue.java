package dev.outbox.internal.background;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Work that one thread does in order. */
public final class SerialQueue<T> {

    private final List<T> work;
    private int position;
    private volatile boolean exhausted;
    private final AtomicBoolean completed = new AtomicBoolean();

    public SerialQueue(List<T> work) {
        this.work = List.copyOf(work);
        this.exhausted = work.isEmpty();
    }

    /** Returns whether there is work to do; any thread may ask. */
    public boolean hasNext() {
        return !exhausted;
    }

    /** Returns the work to do. */
    public T peek() {
        return work.get(position);
    }

    /** Moves to the following work. */
    public void advance() {
        position++;
        exhausted = exhausted || position == work.size();
    }

    /** Skips the rest. */
    public void skipRest() {
        exhausted = true;
    }

    /** Ends the queue for good: no thread works on it any more. Returns {@code false} if it was complete already. */
    public boolean complete() {
        exhausted = true;
        return completed.compareAndSet(false, true);
    }
}
