package dev.outbox.chaos.model;

import dev.outbox.chaos.model.Worker.Outcome;
import dev.outbox.chaos.model.Worker.Work;

/**
 * Settlements of claimed events. One transaction, fenced by the claim, writes the outcomes: an event that all handlers have
 * handled is published; any other gets a delivery for each handler that failed or has earlier deliveries in its lane. The claim
 * ends, or continues with the events that are left.
 */
record Settlements(Protocol protocol, Bounds bounds, Lanes lanes, Dispatch dispatch, Fence fence) implements Role {

    @Override
    public void addSteps(State state, Steps steps) {
        for (int number = 0; number < bounds.workers(); number++) {
            Worker worker = state.worker(number);
            if (worker.work() == Work.BATCH && !worker.isRunning()) {
                settle(state, number, steps);
            }
        }
    }

    private void settle(State state, int number, Steps steps) {
        Worker worker = state.worker(number);
        int done = done(worker);
        if ((done & state.lockedRows()) != 0 || parksInto(worker, done, state.lockedLanes())) {
            return;
        }
        if (!protocol.has(Rule.LANE_LOCK) && parksInto(worker, done, -1) && worker.notedLanes() < 0) {
            State next = state.copy();
            next.worker(number).noteLanes(rows(state.database()));
            steps.add(next, () -> worker.name() + " looks which lanes have a row");
        } else if (done == worker.events()) {
            settle(state, number, done, true, steps);
        } else if (done != 0) {
            settle(state, number, done, false, steps);
        }
        if (done != worker.events() && bounds.allows(state, Fault.STOP)) {
            State next = state.copy();
            boolean held = write(next, next.worker(number), done, true);
            next.forget(next.worker(number));
            steps.addFault(Fault.STOP, next, () -> text(worker, done, held) + ", gives back the rest and stops");
        }
    }

    private void settle(State state, int number, int done, boolean last, Steps steps) {
        State next = state.copy();
        Worker worker = next.worker(number);
        boolean held = write(next, worker, done, last);
        if (bounds.allows(state, Fault.LOST_ANSWER) && held) {
            State unanswered = next.copy();
            steps.addFault(Fault.LOST_ANSWER, unanswered, () -> text(worker, done, true) + ", but gets no answer");
        }
        if (last || !held) {
            next.forget(worker);
        } else {
            worker.removeEvents(written(worker, done));
            worker.forgetLanes();
        }
        steps.add(next, () -> text(next.worker(number), done, held));
    }

    private String text(Worker worker, int done, boolean held) {
        return worker.name() + (held ? " settles " + bounds.names(done) : " finds its claim lost when it settles");
    }

    /** Writes outcomes; returns whether the claim is still the worker's. Changes nothing in the worker's memory. */
    private boolean write(State next, Worker worker, int done, boolean last) {
        int row = fence.rowOf(next, worker);
        if (row < 0 && protocol.has(Rule.SETTLE_NEEDS_CLAIM)) {
            return false;
        }
        int written = last ? done : written(worker, done);
        for (int event = 0; event < bounds.eventCount(); event++) {
            if ((written >> event & 1) != 0 && next.database().isPending(event)) {
                write(next, worker, event);
            }
        }
        if (row >= 0) {
            if (next.database().claimToken(row) != worker.token()) {
                next.violate(Property.FENCED_SETTLEMENT);
            }
            next.database().shrinkClaim(row, last ? 0 : next.database().claimed(row) & ~written);
        }
        return true;
    }

    private void write(State next, Worker worker, int event) {
        Database database = next.database();
        if (!Fence.owns(next, worker, event)) {
            next.violate(Property.FENCED_SETTLEMENT);
        }
        database.setStatus(event, EventStatus.DISPATCHED);
        for (int handler = 0; handler < bounds.handlers(); handler++) {
            Outcome outcome = worker.outcome(event, handler);
            if (outcome == Outcome.SUCCEEDED) {
                database.setDelivery(event, handler, DeliveryStatus.DONE);
            } else {
                database.setFailures(event, handler, outcome == Outcome.FAILED ? 1 : 0);
                database.setDelivery(event, handler, DeliveryStatus.OPEN);
                int lane = bounds.lane(event, handler);
                boolean noted = worker.notedLanes() >= 0 && (worker.notedLanes() >> lane & 1) != 0;
                if (!noted) {
                    lanes.refresh(database, lane);
                }
            }
        }
    }

    /** The events of a partial settlement. */
    private int written(Worker worker, int done) {
        return protocol.has(Rule.SETTLE_IN_ORDER) || done == worker.events() ? done : Integer.highestOneBit(done);
    }

    private int done(Worker worker) {
        int done = 0;
        for (int event = 0; event < bounds.eventCount(); event++) {
            done |= worker.hasEvent(event) && dispatch.isDone(worker, event) ? 1 << event : 0;
        }
        return done;
    }

    /** Whether a settlement adds deliveries to one of some lanes. */
    private boolean parksInto(Worker worker, int done, int laneSet) {
        boolean parks = false;
        for (int event = 0; event < bounds.eventCount(); event++) {
            for (int handler = 0; handler < bounds.handlers(); handler++) {
                parks |= (done >> event & 1) != 0
                        && worker.outcome(event, handler) != Outcome.SUCCEEDED
                        && (laneSet >> bounds.lane(event, handler) & 1) != 0;
            }
        }
        return parks;
    }

    private static int rows(Database database) {
        int rows = 0;
        for (int lane = 0; lane < State.LANES; lane++) {
            rows |= database.hasLane(lane) ? 1 << lane : 0;
        }
        return rows;
    }
}
