package dev.outbox.benchmarks.transactionoutbox;

import com.gruelbox.transactionoutbox.TransactionOutbox;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Background worker that transaction-outbox's documentation requires: flushes until nothing is left, then pauses. */
final class Flushing {

    private static final Logger log = LoggerFactory.getLogger(Flushing.class);

    private final TransactionOutbox outbox;
    private final Duration pause;
    private final Thread thread = new Thread(this::run, "flush");
    private volatile boolean closing;

    Flushing(TransactionOutbox outbox, Duration pause) {
        this.outbox = outbox;
        this.pause = pause;
    }

    void start() {
        thread.start();
    }

    void close() {
        closing = true;
        LockSupport.unpark(thread);
    }

    private void run() {
        while (!closing) {
            try {
                while (outbox.flush() && !closing) {}
            } catch (RuntimeException ex) {
                log.warn("flushing failed", ex);
            }
            LockSupport.parkNanos(pause.toNanos());
        }
    }
}
