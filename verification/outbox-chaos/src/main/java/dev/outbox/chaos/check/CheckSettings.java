package dev.outbox.chaos.check;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * What the checker must know of the configuration of a run.
 *
 * @param lease the lease of claims and deliveries
 * @param longestWait how long a delivery that nothing holds back may wait for its start, also after a dead process or connection
 * @param backlogDeadline how long after the last fault, or after its commit, an event may be open
 * @param maxAttempts the failures after which a delivery dies, by handler
 * @param defaultMaxAttempts the same for every other handler
 * @param maxCrashes the expired leases that a delivery survives
 * @param nonRetryable the error codes, which are simple names of exception classes, that make a delivery dead at once
 */
public record CheckSettings(
        Duration lease,
        Duration longestWait,
        Duration backlogDeadline,
        Map<String, Integer> maxAttempts,
        int defaultMaxAttempts,
        int maxCrashes,
        Set<String> nonRetryable) {

    /** What the outbox needs beside a lease to take over from a dead process or connection. */
    private static final Duration TAKEOVER = Duration.ofSeconds(15);

    /** Returns the defaults of the library, with a deadline of a minute. */
    public static CheckSettings defaults() {
        Duration lease = Duration.ofSeconds(60);
        return new CheckSettings(
                lease, lease.plus(TAKEOVER), Duration.ofSeconds(60), Map.of(), 10, 3, Set.of("NonRetryableException"));
    }

    /** Copies the collections. */
    public CheckSettings {
        maxAttempts = Map.copyOf(maxAttempts);
        nonRetryable = Set.copyOf(nonRetryable);
    }

    /** Returns the same settings with another lease, and the wait that follows from it. */
    public CheckSettings withLease(Duration other) {
        return new CheckSettings(
                other,
                other.plus(TAKEOVER),
                backlogDeadline,
                maxAttempts,
                defaultMaxAttempts,
                maxCrashes,
                nonRetryable);
    }

    /** Returns the same settings with another longest wait. */
    public CheckSettings withLongestWait(Duration other) {
        return new CheckSettings(
                lease, other, backlogDeadline, maxAttempts, defaultMaxAttempts, maxCrashes, nonRetryable);
    }

    /** Returns the same settings with another deadline. */
    public CheckSettings withBacklogDeadline(Duration other) {
        return new CheckSettings(lease, longestWait, other, maxAttempts, defaultMaxAttempts, maxCrashes, nonRetryable);
    }

    /** Returns the same settings with another number of attempts for every handler. */
    public CheckSettings withMaxAttempts(int other) {
        return new CheckSettings(lease, longestWait, backlogDeadline, maxAttempts, other, maxCrashes, nonRetryable);
    }

    /** Returns the same settings with another number of attempts for one handler. */
    public CheckSettings withMaxAttempts(String handler, int other) {
        Map<String, Integer> all = new HashMap<>(maxAttempts);
        all.put(handler, other);
        return new CheckSettings(
                lease, longestWait, backlogDeadline, all, defaultMaxAttempts, maxCrashes, nonRetryable);
    }

    /** Returns the same settings with other error codes that make a delivery dead at once. */
    public CheckSettings withNonRetryable(Set<String> other) {
        return new CheckSettings(
                lease, longestWait, backlogDeadline, maxAttempts, defaultMaxAttempts, maxCrashes, other);
    }

    int maxAttemptsOf(String handler) {
        return maxAttempts.getOrDefault(handler, defaultMaxAttempts);
    }
}
