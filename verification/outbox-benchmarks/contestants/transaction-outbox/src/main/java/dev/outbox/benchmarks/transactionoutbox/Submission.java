package dev.outbox.benchmarks.transactionoutbox;

import com.gruelbox.transactionoutbox.Submitter;
import com.gruelbox.transactionoutbox.TransactionOutboxEntry;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Submits entries to threads; before the process delivers, they are lost as in a crash. At tuned settings, the caller
 * runs an entry if the queue is full, so a flush takes no more than the threads can process.
 */
final class Submission implements Submitter {

    static final int THREADS = 16;
    static final int QUEUE = 500;

    private final Submitter threads;
    private volatile boolean begun;

    Submission(boolean tuned) {
        this.threads = tuned
                ? Submitter.withExecutor(new ThreadPoolExecutor(
                        THREADS,
                        THREADS,
                        0,
                        TimeUnit.SECONDS,
                        new ArrayBlockingQueue<>(QUEUE),
                        new ThreadPoolExecutor.CallerRunsPolicy()))
                : Submitter.withDefaultExecutor();
    }

    void begin() {
        begun = true;
    }

    @Override
    public void submit(TransactionOutboxEntry entry, Consumer<TransactionOutboxEntry> work) {
        if (begun) {
            threads.submit(entry, work);
        }
    }
}
