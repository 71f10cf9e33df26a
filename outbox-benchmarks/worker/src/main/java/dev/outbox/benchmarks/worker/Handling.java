package dev.outbox.benchmarks.worker;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Handler of every contestant: records each call and its time, or fails. */
public final class Handling {

    private final long workNanos;
    private final Failures failures;
    private final Journal journal;

    Handling(int workMillis, Failures failures, Journal journal) {
        this.workNanos = Duration.ofMillis(workMillis).toNanos();
        this.failures = failures;
        this.journal = journal;
    }

    /** Handles an event. */
    public void handle(int handler, AccountChanged event) {
        long begun = System.nanoTime();
        failures.failIfDue(handler, event);
        if (workNanos > 0) {
            parkUntil(begun + workNanos);
        }
        journal.add(new Journal.Entry(handler, event.number(), event.key(), event.seq(), begun, System.nanoTime()));
    }

    /** Waits without using the processor, as for a remote system. */
    static void parkUntil(long deadline) {
        for (long left = deadline - System.nanoTime(); left > 0; left = deadline - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
