package dev.outbox.chaos.nemesis;

/** What the nemesis can do. */
public enum FaultType {
    KILL(Lane.PROCESSES),
    SUSPEND(Lane.PROCESSES),
    RESTART(Lane.PROCESSES),
    DATABASE_CRASH(Lane.DATABASE),
    BACKEND_CRASH(Lane.DATABASE),
    FAILOVER_ASYNC(Lane.DATABASE),
    FAILOVER_SYNC(Lane.DATABASE),
    RESTORE(Lane.DATABASE),
    RESTORE_COLD(Lane.DATABASE),
    UPGRADE(Lane.DATABASE),
    ALL_STOPPED(Lane.DATABASE),
    CONNECTIONS_RESET(Lane.NETWORK),
    CONNECTIONS_REFUSED(Lane.NETWORK),
    BLACK_HOLE(Lane.NETWORK),
    CONNECTIONS_FROZEN(Lane.NETWORK),
    DELAY(Lane.NETWORK),
    COMMIT_CUT(Lane.NETWORK),
    BACKENDS_TERMINATED(Lane.NETWORK),
    ROWS_LOCKED(Lane.LOAD),
    TABLE_LOCKED(Lane.LOAD),
    SNAPSHOT_HELD(Lane.LOAD),
    WRITERS_OVERLAP(Lane.LOAD),
    POOL_EXHAUSTED(Lane.LOAD),
    CLOCK_SKEW(Lane.LOAD),
    HANDLERS_SLOW(Lane.LOAD),
    OPERATOR_RETRY(Lane.LOAD),
    OPERATOR_SKIP(Lane.LOAD),
    OPERATOR_REPLAY(Lane.LOAD),
    OPERATOR_ERASE(Lane.LOAD),
    OPERATOR_RESCHEDULE(Lane.LOAD),
    BROKER_KILL(Lane.BROKERS),
    BROKERS_REFUSE(Lane.BROKERS),
    BROKERS_BLACK_HOLE(Lane.BROKERS),
    BROKERS_SLOW(Lane.BROKERS),
    PARTITION_LEADERLESS(Lane.BROKERS),
    LEADER_MOVE(Lane.BROKERS),
    KILL_ALONE(Lane.ALONE),
    TRANSACTION_CUT_OFF(Lane.ALONE),
    RETRY_STORM(Lane.ALONE);

    private final Lane lane;

    FaultType(Lane lane) {
        this.lane = lane;
    }

    /**
     * Faults of one lane come one after the other; those of different lanes overlap. Those of the last one come when all others are
     * over, so that the times that they take are worth a bound.
     */
    public enum Lane {
        PROCESSES,
        DATABASE,
        NETWORK,
        LOAD,
        BROKERS,
        ALONE
    }

    Lane lane() {
        return lane;
    }
}
