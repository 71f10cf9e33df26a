package dev.outbox.benchmarks.worker;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Decides which calls fail: a share of them once, and those of poisoned accounts always. */
final class Failures {

    private final int percent;
    private final int poisoned;
    private final Set<Long> failed = ConcurrentHashMap.newKeySet();

    /**
     * Creates the failures of a run.
     *
     * @param percent the share of calls whose first attempt in this process fails
     * @param poisoned accounts below this number always fail
     */
    Failures(int percent, int poisoned) {
        this.percent = percent;
        this.poisoned = poisoned;
    }

    void failIfDue(int handler, AccountChanged event) {
        if (event.key() < poisoned || (isChosen(handler, event.number()) && failed.add(call(handler, event)))) {
            throw new DeliberateFailure();
        }
    }

    /** Spread evenly and the same in every run. */
    private boolean isChosen(int handler, int number) {
        long scattered = ((number * 31L + handler) * 0x9E3779B97F4A7C15L) >>> 33;
        return scattered % 100 < percent;
    }

    private static long call(int handler, AccountChanged event) {
        return ((long) handler << 32) | event.number();
    }
}
