package dev.outbox.chaos.model;

import dev.outbox.chaos.model.Database.Field;
import dev.outbox.chaos.model.Worker.Work;

/**
 * Claims of new events, and the end of claims that have expired. A claim is one transaction under the lock of the stream: it begins an
 * incarnation if the database has crashed, and takes the oldest pending events whose aggregate no other claim has. Another transaction ends
 * what has expired, of events and of lanes.
 */
record Claims(Protocol protocol, Bounds bounds, ClaimWindow window, Lanes lanes, Dispatch dispatch) implements Role {

    @Override
    public void addSteps(State state, Steps steps) {
        endExpired(state, steps);
        for (int number = 0; number < bounds.workers(); number++) {
            Worker worker = state.worker(number);
            if (worker.work() == Work.CLAIMING) {
                insert(state.copy(), number, worker.events(), steps);
            } else if (worker.isIdle() && protocol.has(Rule.STREAM_LOCK)) {
                claim(state, number, steps);
            } else if (worker.isIdle()) {
                look(state, number, steps);
            }
        }
    }

    private void claim(State state, int number, Steps steps) {
        State next = state.copy();
        boolean begun = beginIncarnation(next);
        int batch = batch(next);
        if (batch != 0) {
            insert(next, number, batch, steps);
        } else if (begun) {
            steps.add(next, () -> next.worker(number).name() + " claims nothing, but begins an incarnation");
        }
    }

    /** Without the lock of the stream, another claim comes between what a claim sees and what it writes. */
    private void look(State state, int number, Steps steps) {
        State next = state.copy();
        beginIncarnation(next);
        int batch = batch(next);
        if (batch != 0) {
            next.worker(number).begin(Work.CLAIMING, batch);
            steps.add(next, () -> next.worker(number).name() + " is about to claim " + bounds.names(batch));
        }
    }

    private void insert(State next, int number, int batch, Steps steps) {
        Database database = next.database();
        Worker worker = next.worker(number);
        int id = protocol.has(Rule.RANDOM_TOKEN) ? 0 : database.nextClaimId();
        database.insertClaim(batch, worker.token(), id);
        worker.claim(Work.BATCH, batch, 0);
        worker.setClaimId(id);
        for (int event = 0; event < bounds.eventCount() && protocol.has(Rule.WAIT_BEHIND_LANE); event++) {
            for (int handler = 0; handler < bounds.handlers(); handler++) {
                if (worker.hasEvent(event) && database.hasLane(bounds.lane(event, handler))) {
                    worker.block(bounds.aggregate(event), handler);
                }
            }
        }
        dispatch.queueBlocked(next, worker);
        steps.add(next, () -> worker.name() + " claims " + bounds.names(batch));
    }

    /** After a crash, all claims of before count as expired. The first transaction waits until no worker trusts an earlier confirmation. */
    boolean beginIncarnation(State next) {
        if (next.database().get(Field.INCARNATION_BEGUN) != 0) {
            return false;
        }
        Database database = next.database();
        database.set(Field.INCARNATION_BEGUN, 1);
        database.outdateClaims();
        for (int number = 0; number < State.WORKERS && protocol.has(Rule.WAIT_FOR_TRUST_TO_END); number++) {
            next.worker(number).trust(false);
        }
        return true;
    }

    /** Pollers and operators do so: any process may, whatever it has claimed itself. */
    private void endExpired(State state, Steps steps) {
        State next = state.copy();
        Database database = next.database();
        boolean changed = beginIncarnation(next);
        for (int row = 0; row < Database.CLAIMS && protocol.has(Rule.END_EXPIRED_CLAIMS); row++) {
            if (database.claimed(row) != 0 && !database.isClaimLive(row)) {
                database.shrinkClaim(row, 0);
                changed = true;
            }
        }
        for (int lane = 0; lane < State.LANES && protocol.has(Rule.END_EXPIRED_CLAIMS); lane++) {
            changed |= lanes.endExpired(next, lane);
        }
        if (changed) {
            steps.add(next, () -> "the claims that have expired are ended");
        }
    }

    /** The oldest events that are free. */
    private int batch(State state) {
        Database database = state.database();
        int batch = 0;
        int passedOver = 0;
        for (int id = Math.max(1, window.start(database)); id <= database.get(Field.LAST_ID); id++) {
            int event = pending(database, id);
            if (event < 0 || isClaimed(database, event) || Integer.bitCount(batch) == bounds.batchSize()) {
                continue;
            }
            boolean locked = (state.lockedRows() >> event & 1) != 0;
            if (locked || (passedOver >> bounds.aggregate(event) & 1) != 0) {
                passedOver |= protocol.has(Rule.SKIP_BEHIND_LOCKED_ROW) ? 1 << bounds.aggregate(event) : 0;
            } else {
                batch |= 1 << event;
            }
        }
        return batch;
    }

    private int pending(Database database, int id) {
        for (int event = 0; event < bounds.eventCount(); event++) {
            if (database.isPending(event) && database.id(event) == id) {
                return event;
            }
        }
        return -1;
    }

    private boolean isClaimed(Database database, int event) {
        for (int row = 0; row < Database.CLAIMS && protocol.has(Rule.SKIP_CLAIMED_AGGREGATES); row++) {
            for (int other = 0; other < bounds.eventCount(); other++) {
                if ((database.claimed(row) >> other & 1) != 0 && bounds.aggregate(other) == bounds.aggregate(event)) {
                    return true;
                }
            }
        }
        return false;
    }
}
