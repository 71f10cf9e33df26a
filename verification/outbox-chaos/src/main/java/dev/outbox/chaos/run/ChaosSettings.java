package dev.outbox.chaos.run;

import static dev.outbox.chaos.nemesis.FaultType.ALL_STOPPED;
import static dev.outbox.chaos.nemesis.FaultType.BACKENDS_TERMINATED;
import static dev.outbox.chaos.nemesis.FaultType.BACKEND_CRASH;
import static dev.outbox.chaos.nemesis.FaultType.BLACK_HOLE;
import static dev.outbox.chaos.nemesis.FaultType.CLOCK_SKEW;
import static dev.outbox.chaos.nemesis.FaultType.COMMIT_CUT;
import static dev.outbox.chaos.nemesis.FaultType.CONNECTIONS_FROZEN;
import static dev.outbox.chaos.nemesis.FaultType.CONNECTIONS_REFUSED;
import static dev.outbox.chaos.nemesis.FaultType.CONNECTIONS_RESET;
import static dev.outbox.chaos.nemesis.FaultType.DATABASE_CRASH;
import static dev.outbox.chaos.nemesis.FaultType.DELAY;
import static dev.outbox.chaos.nemesis.FaultType.FAILOVER_ASYNC;
import static dev.outbox.chaos.nemesis.FaultType.FAILOVER_SYNC;
import static dev.outbox.chaos.nemesis.FaultType.HANDLERS_SLOW;
import static dev.outbox.chaos.nemesis.FaultType.KILL;
import static dev.outbox.chaos.nemesis.FaultType.KILL_ALONE;
import static dev.outbox.chaos.nemesis.FaultType.OPERATOR_ERASE;
import static dev.outbox.chaos.nemesis.FaultType.OPERATOR_REPLAY;
import static dev.outbox.chaos.nemesis.FaultType.OPERATOR_RESCHEDULE;
import static dev.outbox.chaos.nemesis.FaultType.OPERATOR_RETRY;
import static dev.outbox.chaos.nemesis.FaultType.OPERATOR_SKIP;
import static dev.outbox.chaos.nemesis.FaultType.POOL_EXHAUSTED;
import static dev.outbox.chaos.nemesis.FaultType.RESTART;
import static dev.outbox.chaos.nemesis.FaultType.RESTORE;
import static dev.outbox.chaos.nemesis.FaultType.RESTORE_COLD;
import static dev.outbox.chaos.nemesis.FaultType.RETRY_STORM;
import static dev.outbox.chaos.nemesis.FaultType.ROWS_LOCKED;
import static dev.outbox.chaos.nemesis.FaultType.SNAPSHOT_HELD;
import static dev.outbox.chaos.nemesis.FaultType.SUSPEND;
import static dev.outbox.chaos.nemesis.FaultType.TABLE_LOCKED;
import static dev.outbox.chaos.nemesis.FaultType.TRANSACTION_CUT_OFF;
import static dev.outbox.chaos.nemesis.FaultType.UPGRADE;
import static dev.outbox.chaos.nemesis.FaultType.WRITERS_OVERLAP;
import static java.util.Map.entry;

import dev.outbox.chaos.nemesis.FaultType;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * What a run does.
 *
 * @param seed decides the schedule of the faults and the traffic
 * @param time how long there are faults
 * @param faults how often each fault happens
 * @param events how many events are committed at least
 * @param rate the transactions of each publisher a second, of five events on average
 */
public record ChaosSettings(long seed, Duration time, Map<FaultType, Integer> faults, long events, long rate) {

    private static final Map<FaultType, Integer> SHORT = Map.ofEntries(
            entry(KILL, 6),
            entry(SUSPEND, 2),
            entry(ALL_STOPPED, 1),
            entry(DATABASE_CRASH, 1),
            entry(FAILOVER_ASYNC, 1),
            entry(UPGRADE, 1),
            entry(CONNECTIONS_RESET, 1),
            entry(BLACK_HOLE, 1),
            entry(CONNECTIONS_FROZEN, 1),
            entry(COMMIT_CUT, 2),
            entry(BACKENDS_TERMINATED, 1),
            entry(ROWS_LOCKED, 1),
            entry(TABLE_LOCKED, 1),
            entry(SNAPSHOT_HELD, 1),
            entry(WRITERS_OVERLAP, 1),
            entry(POOL_EXHAUSTED, 1),
            entry(CLOCK_SKEW, 2),
            entry(HANDLERS_SLOW, 1),
            entry(OPERATOR_RETRY, 1),
            entry(OPERATOR_SKIP, 1),
            entry(OPERATOR_REPLAY, 1),
            entry(OPERATOR_ERASE, 1),
            entry(OPERATOR_RESCHEDULE, 1),
            entry(KILL_ALONE, 1),
            entry(TRANSACTION_CUT_OFF, 1),
            entry(RETRY_STORM, 1));

    private static final Map<FaultType, Integer> IN_TEN_MINUTES = Map.ofEntries(
            entry(KILL, 64),
            entry(SUSPEND, 22),
            entry(RESTART, 8),
            entry(ALL_STOPPED, 2),
            entry(DATABASE_CRASH, 10),
            entry(BACKEND_CRASH, 3),
            entry(FAILOVER_ASYNC, 2),
            entry(FAILOVER_SYNC, 2),
            entry(RESTORE, 1),
            entry(RESTORE_COLD, 1),
            entry(UPGRADE, 1),
            entry(CONNECTIONS_RESET, 8),
            entry(CONNECTIONS_REFUSED, 6),
            entry(BLACK_HOLE, 8),
            entry(CONNECTIONS_FROZEN, 6),
            entry(DELAY, 6),
            entry(COMMIT_CUT, 12),
            entry(BACKENDS_TERMINATED, 6),
            entry(ROWS_LOCKED, 10),
            entry(TABLE_LOCKED, 8),
            entry(SNAPSHOT_HELD, 6),
            entry(WRITERS_OVERLAP, 6),
            entry(POOL_EXHAUSTED, 8),
            entry(CLOCK_SKEW, 20),
            entry(HANDLERS_SLOW, 8),
            entry(OPERATOR_RETRY, 8),
            entry(OPERATOR_SKIP, 6),
            entry(OPERATOR_REPLAY, 8),
            entry(OPERATOR_ERASE, 8),
            entry(OPERATOR_RESCHEDULE, 40),
            entry(KILL_ALONE, 8),
            entry(TRANSACTION_CUT_OFF, 3),
            entry(RETRY_STORM, 3));

    private static final int MINUTES = 10;
    private static final int EVENTS_IN_TEN_MINUTES = 200_000;

    public ChaosSettings {
        faults = Map.copyOf(faults);
    }

    /** The short run of the build. */
    public static ChaosSettings brief(long seed) {
        return new ChaosSettings(seed, Duration.ofSeconds(30), SHORT, 10_000, 40);
    }

    /** A long run; ten minutes have every fault as often as promised, and another time has a proportionate share of it. */
    public static ChaosSettings ofMinutes(long seed, int minutes) {
        Map<FaultType, Integer> faults = new HashMap<>();
        IN_TEN_MINUTES.forEach((type, count) -> faults.put(type, (count * minutes + MINUTES - 1) / MINUTES));
        long events = (long) EVENTS_IN_TEN_MINUTES * minutes / MINUTES;
        return new ChaosSettings(seed, Duration.ofMinutes(minutes), faults, events, 60);
    }
}
