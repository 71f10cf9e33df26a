package dev.outbox.chaos.check;

import java.time.Duration;

/**
 * What the checker must know of the configuration of a run.
 *
 * @param lease the lease of claims and deliveries
 * @param longestWait how long a delivery that nothing holds back may wait for its start, also after a dead process or connection
 * @param backlogDeadline how long after the last fault, or after its commit, an event may be open
 * @param maxAttempts the failures after which a delivery dies
 * @param maxCrashes the expired leases that a delivery survives
 */
public record CheckSettings(
        Duration lease, Duration longestWait, Duration backlogDeadline, int maxAttempts, int maxCrashes) {

    /** What the outbox needs beside a lease to take over from a dead process or connection. */
    private static final Duration TAKEOVER = Duration.ofSeconds(15);

    /** Returns the defaults of the library, with a deadline of a minute. */
    public static CheckSettings defaults() {
        Duration lease = Duration.ofSeconds(60);
        return new CheckSettings(lease, lease.plus(TAKEOVER), Duration.ofSeconds(60), 10, 3);
    }

    /** Returns the same settings with another lease, and the wait that follows from it. */
    public CheckSettings withLease(Duration other) {
        return new CheckSettings(other, other.plus(TAKEOVER), backlogDeadline, maxAttempts, maxCrashes);
    }

    /** Returns the same settings with another longest wait. */
    public CheckSettings withLongestWait(Duration other) {
        return new CheckSettings(lease, other, backlogDeadline, maxAttempts, maxCrashes);
    }

    /** Returns the same settings with another deadline. */
    public CheckSettings withBacklogDeadline(Duration other) {
        return new CheckSettings(lease, longestWait, other, maxAttempts, maxCrashes);
    }

    /** Returns the same settings with another number of attempts. */
    public CheckSettings withMaxAttempts(int other) {
        return new CheckSettings(lease, longestWait, backlogDeadline, other, maxCrashes);
    }
}
