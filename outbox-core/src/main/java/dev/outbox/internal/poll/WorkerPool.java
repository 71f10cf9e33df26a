package dev.outbox.internal.poll;

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

/** Fixed number of threads, each of which works on one queue at a time. */
public final class WorkerPool {

    private static final Logger log = LoggerFactory.getLogger(WorkerPool.class);

    private final String name;
    private final int size;
    private final ThreadPoolExecutor threads;
    private final Set<Thread> working = ConcurrentHashMap.newKeySet();

    /** Creates a pool; its threads start with the first work. */
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

    /** Submits queues. If a submission fails, because a thread does not start or the pool is closed, the remaining queues complete. */
    public <T> void work(
            List<SerialQueue<T>> queues, Consumer<SerialQueue<T>> work, Consumer<SerialQueue<T>> complete) {
        int submitted = 0;
        try {
            for (SerialQueue<T> queue : queues) {
                threads.execute(() -> run(() -> work.accept(queue)));
                submitted++;
            }
        } finally {
            queues.subList(submitted, queues.size()).forEach(complete);
        }
    }

    /** A thread that died would take the queue with it if its successor failed to start. */
    private void run(Runnable work) {
        working.add(Thread.currentThread());
        try {
            work.run();
        } catch (Throwable ex) {
            log.error("Unexpected error in a worker thread of {}; continuing", name, ex);
        } finally {
            working.remove(Thread.currentThread());
        }
    }

    /** Returns whether more work would start soon. */
    public boolean hasRoom() {
        return threads.getQueue().size() < size;
    }

    /** Returns whether no queue waits for a thread. */
    public boolean isIdle() {
        return threads.getQueue().isEmpty();
    }

    /** Accepts no more work and waits for the submitted work, unless one of the threads calls. */
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

    /** Interrupts the threads and drops the queues that have not started, unless one of the threads calls. */
    public void interrupt() {
        if (!working.contains(Thread.currentThread())) {
            threads.shutdownNow();
        }
    }
}
