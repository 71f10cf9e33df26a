package dev.outbox.chaos.model;

import dev.outbox.chaos.model.Worker.Work;

/** The passing of time. A worker renews its lease, also one that has expired; a lease without a worker ends. */
record Leases(Bounds bounds, Fence fence) implements Role {

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
            return fence.isHeld(state, worker);
        }
        return fence.holds(state, worker, lane(worker));
    }

    private int lane(Worker worker) {
        return bounds.lane(Integer.numberOfTrailingZeros(worker.events()), worker.handler());
    }
}
