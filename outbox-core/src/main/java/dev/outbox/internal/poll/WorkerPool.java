package dev.outbox.internal.poll;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fixed number of threads, each of which works on one queue at a time. Loops that share them get a {@link Share} each: a free thread takes
 * the next queue of each share in turn.
 */
public final class WorkerPool {

    private static final Logger log = LoggerFactory.getLogger(WorkerPool.class);

    private final String name;
    private final int size;
    private final ThreadPoolExecutor threads;
    private final Set<Thread> working = ConcurrentHashMap.newKeySet();

    /** The share whose turn it is comes first. Guarded by itself, as are the fields of the shares. */
    private final List<Share> shares = new ArrayList<>();

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

    /** Adds a share of the threads: at most so many, but at least one. */
    public Share share(int most) {
        Share share = new Share(Math.max(1, most));
        synchronized (shares) {
            shares.add(share);
        }
        return share;
    }

    /** Queues of one loop, which wait in their own line and use a part of the threads. */
    public final class Share {

        private final int most;
        private final Deque<Runnable> waiting = new ArrayDeque<>();
        private int running;

        private Share(int most) {
            this.most = most;
        }

        /** Returns the number of threads of the pool. */
        public int size() {
            return size;
        }

        /** Submits queues. If a submission fails, because a thread does not start or the pool is closed, the remaining queues complete. */
        public <T> void work(
                List<SerialQueue<T>> queues, Consumer<SerialQueue<T>> work, Consumer<SerialQueue<T>> complete) {
            int submitted = 0;
            try {
                for (SerialQueue<T> queue : queues) {
                    submit(() -> work.accept(queue));
                    submitted++;
                }
            } finally {
                queues.subList(submitted, queues.size()).forEach(complete);
            }
        }

        /** A submission that fails counts nevertheless if a thread has taken the work meanwhile. */
        private void submit(Runnable work) {
            synchronized (shares) {
                waiting.add(work);
            }
            try {
                threads.execute(WorkerPool.this::workOff);
            } catch (RuntimeException | Error ex) {
                synchronized (shares) {
                    if (waiting.remove(work)) {
                        throw ex;
                    }
                }
            }
        }

        /** Returns whether more work would start soon. */
        public boolean hasRoom() {
            synchronized (shares) {
                return waiting.size() < size;
            }
        }

        /** Returns whether no queue of the share waits for a thread. */
        public boolean isIdle() {
            synchronized (shares) {
                return waiting.isEmpty();
            }
        }
    }

    /** A thread takes work until it finds none: what a share may not start yet is taken by the thread that ends its work. */
    private void workOff() {
        Share share = null;
        while (true) {
            Runnable work;
            synchronized (shares) {
                if (share != null) {
                    share.running--;
                }
                share = next();
                if (share == null) {
                    return;
                }
                share.running++;
                work = share.waiting.remove();
            }
            run(work);
        }
    }

    private @Nullable Share next() {
        for (Share share : shares) {
            if (!share.waiting.isEmpty() && share.running < share.most) {
                shares.remove(share);
                shares.add(share);
                return share;
            }
        }
        return null;
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

    /** Returns whether no queue waits for a thread. */
    public boolean isIdle() {
        synchronized (shares) {
            return shares.stream().allMatch((share) -> share.waiting.isEmpty());
        }
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
            synchronized (shares) {
                shares.forEach((share) -> share.waiting.clear());
            }
            threads.shutdownNow();
        }
    }
}
