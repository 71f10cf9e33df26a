package dev.outbox.internal.background;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Work that one thread does in order. */
public final class SerialQueue<T> {

    private final List<T> work;
    private int position;
    private volatile boolean over;
    private final AtomicBoolean left = new AtomicBoolean();

    public SerialQueue(List<T> work) {
        this.work = List.copyOf(work);
        this.over = work.isEmpty();
    }

    /** Whether there is work to do; any thread may ask. */
    public boolean hasNext() {
        return !over;
    }

    /** Returns the work to do. */
    public T next() {
        return work.get(position);
    }

    /** Moves to the following work. */
    public void advance() {
        position++;
        over = over || position == work.size();
    }

    /** Skips the rest. */
    public void end() {
        over = true;
    }

    /** Ends the queue for good: no thread works on it any more. Returns {@code false} if it was complete already. */
    public boolean complete() {
        over = true;
        return left.compareAndSet(false, true);
    }
}
