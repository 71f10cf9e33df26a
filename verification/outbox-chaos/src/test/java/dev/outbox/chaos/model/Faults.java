package dev.outbox.chaos.model;

import dev.outbox.chaos.model.Database.Field;

/** What goes wrong: crashes of workers and of the database, leases that expire under a worker, rows that are locked. */
record Faults(Protocol protocol, Bounds bounds) implements Role {

    private static final Field[] WINDOW = {
        Field.LOW_WATER_MARK,
        Field.SAFE_MARK,
        Field.NEXT_MARK,
        Field.OPEN_WRITERS,
        Field.BEFORE_HORIZON,
        Field.BEFORE_NEXT_HORIZON,
        Field.NEXT_SAFE_MARK,
        Field.BEFORE_NEXT_SAFE_HORIZON
    };

    @Override
    public void addSteps(State state, Steps steps) {
        for (int number = 0; number < bounds.workers(); number++) {
            Worker worker = state.worker(number);
            if (!worker.isIdle() && bounds.allows(state, Fault.WORKER_CRASH)) {
                State next = state.copy();
                next.forget(next.worker(number));
                steps.addFault(Fault.WORKER_CRASH, next, () -> worker.name() + " crashes");
            }
            if (state.database().hasLive(worker.token()) && bounds.allows(state, Fault.LEASE_EXPIRY)) {
                expire(state, number, steps);
            }
        }
        lockRows(state, steps);
        lockLanes(state, steps);
        crash(state, steps);
    }

    private void expire(State state, int number, Steps steps) {
        State next = state.copy();
        next.database().setExpired(next.worker(number).token(), true);
        if (protocol.has(Rule.TRUST_ENDS_WITH_LEASE)) {
            next.worker(number).trust(false);
        }
        steps.addFault(
                Fault.LEASE_EXPIRY,
                next,
                () -> "the lease of " + next.worker(number).name() + " expires");
    }

    private void lockRows(State state, Steps steps) {
        if (state.lockedRows() != 0) {
            State next = state.copy();
            next.setLockedRows(0);
            steps.add(next, () -> "the other session unlocks " + bounds.names(state.lockedRows()));
        } else if (bounds.allows(state, Fault.ROW_LOCK)) {
            for (int event = 0; event < bounds.eventCount(); event++) {
                if (state.database().isPending(event)) {
                    State next = state.copy();
                    next.setLockedRows(1 << event);
                    steps.addFault(
                            Fault.ROW_LOCK, next, () -> "another session locks " + bounds.names(next.lockedRows()));
                }
            }
        }
    }

    private void lockLanes(State state, Steps steps) {
        if (state.lockedLanes() != 0) {
            State next = state.copy();
            next.setLockedLanes(0);
            steps.add(next, () -> "the other session unlocks the lane");
        } else if (bounds.allows(state, Fault.LANE_ROW_LOCK)) {
            for (int lane = 0; lane < State.LANES; lane++) {
                if (state.database().hasLane(lane)) {
                    State next = state.copy();
                    next.setLockedLanes(1 << lane);
                    int handler = lane % State.HANDLERS + 1;
                    steps.addFault(
                            Fault.LANE_ROW_LOCK,
                            next,
                            () -> "another session locks the row of a lane of handler " + handler);
                }
            }
        }
    }

    /**
     * A crash restores a prefix of the commits. The checker chooses it in advance: from a moment on nothing is flushed, in particular no
     * publisher commits, and then the database crashes.
     */
    private void crash(State state, Steps steps) {
        if (state.isCrashAhead()) {
            State next = state.copy();
            restore(next);
            steps.add(next, () -> "the database crashes and forgets what was not flushed");
        } else if (bounds.allows(state, Fault.DATABASE_CRASH)) {
            State next = state.copy();
            next.stopFlushing();
            steps.addFault(Fault.DATABASE_CRASH, next, () -> "what is committed from now on is not flushed");
        }
    }

    private void restore(State next) {
        Database database = next.database();
        int[] window = new int[WINDOW.length];
        for (int field = 0; field < WINDOW.length; field++) {
            window[field] = database.get(WINDOW[field]);
        }
        next.restore();
        for (int field = 0; field < WINDOW.length && !protocol.has(Rule.WINDOW_IN_DATABASE); field++) {
            database.set(WINDOW[field], window[field]);
        }
        database.set(Field.INCARNATION_BEGUN, 0);
        for (int event = 0; event < bounds.eventCount(); event++) {
            if (database.isRunning(event) || database.status(event) == EventStatus.DRAWN_TOO_EARLY) {
                Publishers.end(database, event, EventStatus.ROLLED_BACK);
            }
        }
        for (int number = 0; number < bounds.workers(); number++) {
            Worker worker = next.worker(number);
            if (worker.hasClaim()) {
                worker.makeStale();
            } else {
                worker.clear();
            }
        }
    }
}
