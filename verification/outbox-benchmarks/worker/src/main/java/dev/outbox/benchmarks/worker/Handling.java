package dev.outbox.benchmarks.worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;

/** Handler of every contestant: records each call and its time, or fails. */
public final class Handling {

    private final long workNanos;
    private final Failures failures;
    private final Journal journal;

    Handling(Role.Calls calls, Journal journal) {
        this.workNanos = Duration.ofMillis(calls.work()).toNanos();
        this.failures = new Failures(calls.failing(), calls.poisoned());
        this.journal = journal;
    }

    /** Handles an event. */
    public void handle(AccountChanged event) {
        long begun = System.nanoTime();
        failures.failIfDue(event);
        work(begun);
        record(event, begun);
    }

    /** Handles events of many accounts with one wait, as one call of a remote system does. A failed event fails its account. */
    public void handleAll(List<AccountChanged> events, BiConsumer<AccountChanged, RuntimeException> failed) {
        long begun = System.nanoTime();
        Set<Integer> stopped = new HashSet<>();
        List<AccountChanged> handled = new ArrayList<>();
        for (AccountChanged event : events) {
            if (stopped.contains(event.key())) {
                continue;
            }
            try {
                failures.failIfDue(event);
                handled.add(event);
            } catch (DeliberateFailure ex) {
                stopped.add(event.key());
                failed.accept(event, ex);
            }
        }
        work(begun);
        // One after the other, as the events of an account would be found in the remote system.
        handled.forEach((event) -> record(event, System.nanoTime()));
    }

    private void work(long begun) {
        if (workNanos > 0) {
            Pause.until(begun + workNanos);
        }
    }

    private void record(AccountChanged event, long begun) {
        journal.add(new Journal.Entry(event.number(), event.key(), event.seq(), begun, System.nanoTime()));
    }
}
