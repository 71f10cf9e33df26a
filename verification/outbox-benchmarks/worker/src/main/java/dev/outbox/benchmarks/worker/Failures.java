package dev.outbox.benchmarks.worker;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Choice of the calls that fail: a share of them once, and those of poisoned accounts always. */
final class Failures {

    private final int percent;
    private final int poisoned;
    private final Set<Integer> failed = ConcurrentHashMap.newKeySet();

    /** Makes a percentage of calls fail at the first attempt in this process, and accounts below a number always. */
    Failures(int percent, int poisoned) {
        this.percent = percent;
        this.poisoned = poisoned;
    }

    void failIfDue(AccountChanged event) {
        if (event.key() < poisoned || (isChosen(event.number()) && failed.add(event.number()))) {
            throw new DeliberateFailure();
        }
    }

    /** Spreads failures evenly, and equally in every run. */
    private boolean isChosen(int number) {
        long scattered = (number * 31L * 0x9E3779B97F4A7C15L) >>> 33;
        return scattered % 100 < percent;
    }
}
