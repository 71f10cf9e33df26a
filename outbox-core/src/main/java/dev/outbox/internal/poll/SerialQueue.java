package dev.outbox.internal.poll;

import java.util.ArrayList;
import java.util.Collection;
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

    /** Returns the next work to do, at most so much. */
    public List<T> peek(int most) {
        return work.subList(position, position + Math.min(most, work.size() - position));
    }

    /** Moves behind so much work. */
    public void advance(int done) {
        position += done;
        exhausted = exhausted || position == work.size();
    }

    /** Skips the rest. */
    public void skipRest() {
        exhausted = true;
    }

    /** Distributes groups of work over a number of queues, each group as a whole. */
    public static <T> List<SerialQueue<T>> distribute(Collection<List<T>> groups, int queues) {
        List<List<T>> merged = new ArrayList<>();
        int next = 0;
        for (List<T> group : groups) {
            if (merged.size() < queues) {
                merged.add(new ArrayList<>(group));
            } else {
                merged.get(next++ % queues).addAll(group);
            }
        }
        return merged.stream().map(SerialQueue::new).toList();
    }

    /** Ends the queue for good: no thread works on it any more. Returns {@code false} if it was complete already. */
    public boolean complete() {
        exhausted = true;
        return completed.compareAndSet(false, true);
    }
}
