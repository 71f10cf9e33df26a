package dev.outbox.duty;

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

/** A fixed number of threads that work on strands at the same time, each strand on one of them. */
public final class Crew implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Crew.class);

    private static final Duration GRACE_AFTER_INTERRUPT = Duration.ofSeconds(1);

    private final String name;
    private final int size;
    private final ThreadPoolExecutor threads;
    private final Set<Thread> working = ConcurrentHashMap.newKeySet();

    /**
     * Creates a crew; its threads begin with the first work.
     *
     * @param name the crew's name, for people to read
     * @param size how many strands are worked on at the same time
     * @param factory creates the threads
     */
    public Crew(String name, int size, ThreadFactory factory) {
        this.name = name;
        this.size = size;
        this.threads = new ThreadPoolExecutor(size, size, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), factory);
        this.threads.allowCoreThreadTimeOut(true);
    }

    /**
     * Returns the number of threads.
     *
     * @return how many strands are worked on at the same time
     */
    public int size() {
        return size;
    }

    /**
     * Lets the threads work on strands, after what they were given before. A strand that cannot be handed over, because a thread fails to
     * start or the crew is closed, is left together with those after it, and the failure is thrown.
     *
     * @param <T> a piece of the work
     * @param strands the strands, in the order in which they are begun
     * @param work works on a strand, and leaves it whatever happens
     * @param leave leaves a strand that no thread works on
     */
    public <T> void work(List<Strand<T>> strands, Consumer<Strand<T>> work, Consumer<Strand<T>> leave) {
        int handedOver = 0;
        try {
            for (Strand<T> strand : strands) {
                threads.execute(() -> run(() -> work.accept(strand)));
                handedOver++;
            }
        } finally {
            strands.subList(handedOver, strands.size()).forEach(leave);
        }
    }

    /** A thread that died would take the queue with it if its successor failed to start. */
    private void run(Runnable work) {
        working.add(Thread.currentThread());
        try {
            work.run();
        } catch (Throwable ex) {
            log.error("a thread of {} failed outside any handler; it goes on", name, ex);
        } finally {
            working.remove(Thread.currentThread());
        }
    }

    /**
     * Says whether more work would soon be begun.
     *
     * @return whether less work waits than there are threads
     */
    public boolean hasRoom() {
        return threads.getQueue().size() < size;
    }

    /**
     * Says whether threads will be idle when they have done what they are doing.
     *
     * @return whether no work waits
     */
    public boolean isRunningDry() {
        return threads.getQueue().isEmpty();
    }

    /** Closes without patience for running work. */
    @Override
    public void close() {
        close(Duration.ZERO);
    }

    /**
     * Ends the threads: lets running work finish for as long as the patience lasts, then interrupts it. Returns when the threads
     * have ended, or, with a warning, when one ignored the interrupt for a second. Does not wait if called by one of them.
     *
     * @param patience how long running work may take to finish
     * @return whether no thread works any more; {@code false} also if called by one of them
     */
    public boolean close(Duration patience) {
        threads.shutdown();
        return !working.contains(Thread.currentThread()) && end(patience);
    }

    private boolean end(Duration patience) {
        try {
            if (threads.awaitTermination(patience.toMillis(), TimeUnit.MILLISECONDS)) {
                return true;
            }
            threads.shutdownNow();
            if (threads.awaitTermination(GRACE_AFTER_INTERRUPT.toMillis(), TimeUnit.MILLISECONDS)) {
                return true;
            }
            log.warn("a thread of {} did not end within {} ms; it is left to itself", name, patience.toMillis());
        } catch (InterruptedException ex) {
            threads.shutdownNow();
            Thread.currentThread().interrupt();
        }
        return false;
    }
}
