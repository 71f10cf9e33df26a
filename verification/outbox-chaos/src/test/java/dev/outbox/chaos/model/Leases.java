package dev.outbox.chaos.model;

import dev.outbox.chaos.model.Worker.Work;

/** The passing of time. A worker renews its lease, also one that has expired; a lease without a worker ends. */
record Leases(Protocol protocol, Bounds bounds, Fence fence) implements Role {

    @Override
    public void addSteps(State state, Steps steps) {
        if (state.database().hasLive(Database.ORPHAN)) {
            State next = state.copy();
            next.database().setExpired(Database.ORPHAN, true);
            steps.add(next, () -> "the leases of claims that no worker has any more expire");
        }
        for (int number = 0; number < bounds.workers(); number++) {
            Worker worker = state.worker(number);
            if (worker.hasClaim() && !worker.isTrusted() && !state.database().hasLive(worker.token())) {
                renew(state, number, steps);
            }
            if (worker.work() == Work.LANE && state.isLaneLocked(lane(worker))) {
                renewLocked(state, number, steps);
            }
        }
    }

    private void renew(State state, int number, Steps steps) {
        State next = state.copy();
        Worker worker = next.worker(number);
        next.database().setExpired(worker.token(), false);
        if (isHeld(next, worker) && next.database().hasLive(worker.token())) {
            steps.add(next, () -> worker.name() + " renews its lease");
        }
    }

    private boolean isHeld(State state, Worker worker) {
        if (worker.work() == Work.BATCH) {
            return fence.rowOf(state, worker) >= 0;
        }
        return fence.holds(state, worker, lane(worker)) && !state.isLaneLocked(lane(worker));
    }

    /** A renewal waits for the row of the lane for a second, and gives the lane up then. */
    private void renewLocked(State state, int number, Steps steps) {
        State next = state.copy();
        Worker worker = next.worker(number);
        if (protocol.has(Rule.RENEWAL_WAITS)) {
            next.forget(worker);
            steps.add(next, () -> worker.name() + " cannot renew its lease and gives up the lane");
        } else if (!worker.isMisled()) {
            worker.mislead();
            steps.add(next, () -> worker.name() + " skips the row of the lane and takes its lease for renewed");
        }
    }

    private int lane(Worker worker) {
        return bounds.lane(Integer.numberOfTrailingZeros(worker.events()), worker.handler());
    }
}
