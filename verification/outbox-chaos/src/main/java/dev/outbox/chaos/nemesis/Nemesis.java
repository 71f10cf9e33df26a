package dev.outbox.chaos.nemesis;

import dev.outbox.chaos.fleet.Fleet;
import dev.outbox.chaos.fleet.Pause;
import dev.outbox.chaos.nemesis.FaultType.Lane;
import dev.outbox.chaos.nemesis.Schedule.Planned;
import dev.outbox.chaos.process.Commands;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;

/** Causes the faults of a schedule, lane by lane. A fault that did not happen, because another one was in its way, is tried again. */
public final class Nemesis {

    private static final Logger log = LoggerFactory.getLogger(Nemesis.class);

    private static final Duration DEADLINE = Duration.ofMinutes(2);
    /** Delivery has to resume in this time after the database is back, or after a fault that came alone. */
    private static final Duration RECOVERY = Duration.ofSeconds(4);

    private static final Duration BETWEEN_ATTEMPTS = Duration.ofMillis(250);

    private final Fleet fleet;
    private final @Nullable BrokerFaults brokers;
    private final Schedule schedule;
    private final Map<FaultType, Integer> counts = new ConcurrentSkipListMap<>();

    /** Creates a nemesis of processes and their database. */
    public Nemesis(Fleet fleet, Schedule schedule) {
        this(fleet, null, schedule);
    }

    /** Creates a nemesis that also causes the faults of brokers. */
    public Nemesis(Fleet fleet, @Nullable BrokerFaults brokers, Schedule schedule) {
        this.fleet = fleet;
        this.brokers = brokers;
        this.schedule = schedule;
    }

    /** Causes every fault. The result completes when the last one is over. */
    public CompletableFuture<Void> start() {
        long begun = System.nanoTime();
        CompletableFuture<?>[] lanes = EnumSet.complementOf(EnumSet.of(Lane.ALONE)).stream()
                .map((lane) -> CompletableFuture.runAsync(() -> run(lane, begun), inBackground(lane)))
                .toArray(CompletableFuture[]::new);
        return CompletableFuture.allOf(lanes).thenRunAsync(() -> run(Lane.ALONE, begun), inBackground(Lane.ALONE));
    }

    private static Executor inBackground(Lane lane) {
        return (task) -> Commands.inBackground("nemesis-" + lane, task);
    }

    /** How often each fault happened. */
    public Map<FaultType, Integer> counts() {
        return new TreeMap<>(counts);
    }

    private void run(Lane lane, long begun) {
        for (Planned fault : schedule.of(lane)) {
            Pause.of(Duration.ofNanos(begun + fault.at().toNanos() - System.nanoTime()));
            if (lane == Lane.ALONE) {
                fleet.awaitReady();
            }
            cause(fault);
            if (lane == Lane.DATABASE || lane == Lane.ALONE) {
                Pause.of(RECOVERY);
            }
        }
    }

    private void cause(Planned fault) {
        Random random = new Random(fault.seed());
        long end = System.nanoTime() + DEADLINE.toNanos();
        while (System.nanoTime() < end) {
            try {
                if (happens(fault.type(), random)) {
                    counts.merge(fault.type(), 1, Integer::sum);
                    log.info("{}", fault.type());
                    return;
                }
            } catch (SQLException | DataAccessException e) {
                log.info("{} is in the way of another fault: {}", fault.type(), e.toString());
            }
            Pause.of(BETWEEN_ATTEMPTS);
        }
        throw new IllegalStateException(fault.type() + " did not happen within " + DEADLINE);
    }

    private boolean happens(FaultType type, Random random) throws SQLException {
        return switch (type) {
            case KILL -> ProcessFaults.kill(fleet, random);
            case SUSPEND -> ProcessFaults.suspend(fleet, random);
            case RESTART -> ProcessFaults.restart(fleet, random);
            case DATABASE_CRASH -> DatabaseFaults.crash(fleet, random);
            case BACKEND_CRASH -> DatabaseFaults.crashBackend(fleet);
            case FAILOVER_ASYNC -> DatabaseFaults.failOverToAsynchronousStandby(fleet, random);
            case FAILOVER_SYNC -> DatabaseFaults.failOverToSynchronousStandby(fleet, random);
            case RESTORE -> DatabaseFaults.restore(fleet, random);
            case RESTORE_COLD -> DatabaseFaults.restoreCold(fleet, random);
            case UPGRADE -> DatabaseFaults.upgrade(fleet);
            case ALL_STOPPED -> DatabaseFaults.stopAllWorkers(fleet, random);
            case CONNECTIONS_RESET -> NetworkFaults.reset(fleet, random);
            case CONNECTIONS_REFUSED -> NetworkFaults.refuse(fleet, random);
            case BLACK_HOLE -> NetworkFaults.blackHole(fleet, random);
            case CONNECTIONS_FROZEN -> NetworkFaults.freeze(fleet, random);
            case DELAY -> NetworkFaults.delay(fleet, random);
            case COMMIT_CUT -> NetworkFaults.cutAfterCommit(fleet, random);
            case BACKENDS_TERMINATED -> NetworkFaults.terminateBackends(fleet, random);
            case ROWS_LOCKED -> LoadFaults.lockRows(fleet, random);
            case TABLE_LOCKED -> LoadFaults.lockTable(fleet, random);
            case SNAPSHOT_HELD -> LoadFaults.holdSnapshot(fleet, random);
            case WRITERS_OVERLAP -> LoadFaults.overlapWriters(fleet, random);
            case POOL_EXHAUSTED -> LoadFaults.exhaustPool(fleet, random);
            case CLOCK_SKEW -> LoadFaults.skewClock(fleet, random);
            case HANDLERS_SLOW -> LoadFaults.slowHandlers(fleet, random);
            case OPERATOR_RETRY -> LoadFaults.operate(fleet, random, Commands.RETRY, 20);
            case OPERATOR_SKIP -> LoadFaults.operate(fleet, random, Commands.SKIP, 10);
            case OPERATOR_REPLAY -> LoadFaults.operate(fleet, random, Commands.REPLAY, 100);
            case OPERATOR_ERASE -> LoadFaults.operate(fleet, random, Commands.ERASE, 200);
            case OPERATOR_RESCHEDULE -> LoadFaults.operate(fleet, random, Commands.RESCHEDULE, 100);
            case BROKER_KILL -> brokers().kill(random);
            case BROKERS_REFUSE -> brokers().refuse(random);
            case BROKERS_BLACK_HOLE -> brokers().blackHole(random);
            case BROKERS_SLOW -> brokers().slowDown(random);
            case PARTITION_LEADERLESS -> brokers().leaveLeaderless(random);
            case LEADER_MOVE -> brokers().moveLeader(random);
            case KILL_ALONE -> ProcessFaults.killAlone(fleet, random);
            case TRANSACTION_CUT_OFF -> NetworkFaults.cutOffTransaction(fleet, random);
            case RETRY_STORM -> LoadFaults.retryStorm(fleet);
        };
    }

    private BrokerFaults brokers() {
        if (brokers == null) {
            throw new IllegalStateException("This run has no brokers");
        }
        return brokers;
    }
}
