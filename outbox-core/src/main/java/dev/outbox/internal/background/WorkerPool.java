package dev.outbox.internal.background;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A fixed number of threads that work on queues at the same time, each queue on one of them. */
public final class WorkerPool {

    private static final Logger log = LoggerFactory.getLogger(WorkerPool.class);

    private final String name;
    private final int size;
    private final ThreadPoolExecutor threads;
    private final Set<Thread> working = ConcurrentHashMap.newKeySet();

    /** Creates a workers; its threads begin with the first work. */
    public WorkerPool(String name, int size, ThreadFactory factory) {
        this.name = name;
        this.size = size;
        this.threads = new ThreadPoolExecutor(size, size, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
        this.threads.allowCoreThreadTimeOut(true);
    }

    /** Returns the number of threads. */
    public int size() {
        return size;
    }

    /**
     * Lets the threads work on queues, after what they were given before. A queue that cannot be handed over, because a thread fails to
     * start or the workers is closed, is left together with those after it, and the failure is thrown.
     */
    public <T> void work(List<SerialQueue<T>> queues, Consumer<SerialQueue<T>> work, Consumer<SerialQueue<T>> leave) {
        int delegated = 0;
        try {
            for (SerialQueue<T> queue : queues) {
                threads.execute(() -> run(() -> work.accept(queue)));
                delegated++;
            }
        } finally {
            queues.subList(delegated, queues.size()).forEach(leave);
        }
    }

    /** A thread that died would take the queue with it if its successor failed to start. */
    private void run(Runnable work) {
        working.add(Thread.currentThread());
        try {
            work.run();
        } catch (Throwable ex) {
            log.error("a thread of {} failed outside any handler; it continues with the next work", name, ex);
        } finally {
            working.remove(Thread.currentThread());
        }
    }

    /** Says whether more work would soon be begun. */
    public boolean hasRoom() {
        return threads.getQueue().size() < size;
    }

    /** Says whether threads will be idle when they have done what they are doing. */
    public boolean isIdle() {
        return threads.getQueue().isEmpty();
    }

    /** Takes no more work, and waits for what was handed over. Does not wait if called by one of the threads. */
    public boolean endsWithin(Duration patience) {
        threads.shutdown();
        if (working.contains(Thread.currentThread())) {
            return false;
        }
        try {
            return threads.awaitTermination(patience.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Interrupts what the threads work on, and drops what they have not begun. Does nothing if called by one of them. */
    public void interrupt() {
        if (!working.contains(Thread.currentThread())) {
            threads.shutdownNow();
        }
    }
}
