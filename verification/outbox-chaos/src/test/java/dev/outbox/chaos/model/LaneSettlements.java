package dev.outbox.chaos.model;

import dev.outbox.chaos.model.Database.Field;
import dev.outbox.chaos.model.Worker.Outcome;
import dev.outbox.chaos.model.Worker.Work;

/**
 * Settlements of deliveries. One transaction, fenced by the token of the lane and under the lock of its row, writes the outcomes, and gives
 * the lane back unless the worker has more of it to attempt.
 */
record LaneSettlements(Protocol protocol, Bounds bounds, Lanes lanes, Dispatch dispatch, Fence fence) implements Role {

    @Override
    public void addSteps(State state, Steps steps) {
        for (int number = 0; number < bounds.workers(); number++) {
            Worker worker = state.worker(number);
            if (worker.work() == Work.LANE && !worker.isRunning()) {
                settle(state, number, steps);
            }
            for (int lane = 0; lane < State.LANES && worker.kept() != 0; lane++) {
                settleKept(state, number, lane, steps);
            }
        }
    }

    private void settle(State state, int number, Steps steps) {
        Worker worker = state.worker(number);
        int attempted = attempted(worker);
        if ((attempted & state.lockedRows()) != 0 || state.isLaneLocked(lane(worker))) {
            return;
        }
        int following = dispatch.next(state, worker);
        if (following < 0 && worker.awaited() == 0) {
            settle(state, number, attempted, true, steps);
        } else if (attempted != 0) {
            settle(state, number, attempted, false, steps);
        }
        if ((following >= 0 || worker.awaited() != 0) && bounds.allows(state, Fault.STOP)) {
            State next = state.copy();
            write(next, next.worker(number), attempted, true);
            LaterOutcomes.abandon(bounds, next, next.worker(number));
            next.forget(next.worker(number));
            steps.addFault(Fault.STOP, next, () -> text(worker, attempted) + ", gives back the rest and stops");
        }
    }

    private void settle(State state, int number, int attempted, boolean last, Steps steps) {
        State next = state.copy();
        Worker worker = next.worker(number);
        write(next, worker, attempted, last);
        if (bounds.allows(state, Fault.LOST_ANSWER)) {
            State unanswered = next.copy();
            steps.addFault(Fault.LOST_ANSWER, unanswered, () -> text(worker, attempted) + ", but gets no answer");
        }
        if (last) {
            next.forget(worker);
        } else {
            worker.removeEvents(attempted);
        }
        steps.add(next, () -> text(worker, attempted));
    }

    private String text(Worker worker, int attempted) {
        return "%s settles %s as far as it still has the claim".formatted(worker.name(), bounds.names(attempted));
    }

    private void write(State next, Worker worker, int attempted, boolean last) {
        Database database = next.database();
        int lane = lane(worker);
        if (!database.hasLane(lane) || protocol.has(Rule.LANE_FENCE) && !fence.holds(next, worker, lane)) {
            return;
        }
        if (database.laneToken(lane) != worker.token()) {
            next.violate(Property.FENCED_SETTLEMENT);
        }
        for (int event = 0; event < bounds.eventCount(); event++) {
            if ((attempted >> event & 1) != 0 && database.delivery(event, worker.handler()) == DeliveryStatus.OPEN) {
                write(next, worker, event, worker.handler());
            }
        }
        if (last) {
            database.lease(lane, 0, 0);
        } else {
            database.lease(lane, database.laneLock(lane), worker.events() & ~attempted);
        }
        if (protocol.has(Rule.REFRESH_LANE)) {
            lanes.refresh(database, lane);
        }
    }

    private void write(State next, Worker worker, int event, int handler) {
        Database database = next.database();
        Outcome outcome = worker.outcome(event, handler);
        if (outcome == Outcome.SUCCEEDED) {
            database.setDelivery(event, handler, DeliveryStatus.DONE);
        } else if (outcome == Outcome.FAILED && !worker.gaveUp(event)) {
            database.setFailures(event, handler, database.failures(event, handler) + 1);
        } else {
            if (outcome == Outcome.NOT_INVOKED && !database.has(Field.CRASHED_ALONE, event, handler)) {
                next.violate(Property.BLAME);
            }
            database.setDelivery(event, handler, bounds.blocking() ? DeliveryStatus.BLOCKING : DeliveryStatus.DEAD);
            LaterOutcomes.noteDead(bounds, next, event, handler);
        }
        database.set(Field.CRASHED_ALONE, event, handler, false);
    }

    /** Settles what has come of the deliveries of a lane that a claim of events keeps, exactly as redeliveries. */
    private void settleKept(State state, int number, int lane, Steps steps) {
        Worker worker = state.worker(number);
        int come = bounds.ofLane(worker.kept() & ~worker.awaited(), lane);
        if (come == 0
                || (events(bounds.ofLane(worker.kept(), lane)) & worker.eventsToKeep()) != 0
                || !canSettle(state, lane, come)) {
            return;
        }
        State next = state.copy();
        settleKept(next, next.worker(number), lane);
        boolean held = fence.holds(state, worker, lane);
        String text = "%s settles %s, which it has kept, as far as it still has the lane"
                .formatted(worker.name(), bounds.names(events(come)));
        if (held && bounds.allows(state, Fault.LOST_ANSWER)) {
            State unanswered = next.copy();
            steps.addFault(Fault.LOST_ANSWER, unanswered, () -> text + ", but gets no answer");
        }
        Worker answered = next.worker(number);
        answered.dropKept(come);
        if (!held && !fence.isHeld(next, answered) || answered.events() == 0 && answered.kept() == 0) {
            LaterOutcomes.abandon(bounds, next, answered);
            next.forget(answered);
        }
        steps.add(next, () -> text);
    }

    /** Settles the deliveries of all lanes that a claim of events keeps. */
    void settleKept(State next, Worker worker) {
        for (int lane = 0; lane < State.LANES && worker.kept() != 0; lane++) {
            if (bounds.ofLane(worker.kept(), lane) != 0) {
                settleKept(next, worker, lane);
                worker.dropKept(bounds.ofLane(worker.kept(), lane));
            }
        }
    }

    boolean canSettleKept(State state, Worker worker) {
        boolean can = true;
        for (int lane = 0; lane < State.LANES; lane++) {
            int kept = bounds.ofLane(worker.kept(), lane);
            can &= kept == 0 || canSettle(state, lane, kept);
        }
        return can;
    }

    private boolean canSettle(State state, int lane, int deliveries) {
        return !state.isLaneLocked(lane) && (events(deliveries) & state.lockedRows()) == 0;
    }

    /** A delivery behind a failure was not attempted: it stays as it is. */
    private void settleKept(State next, Worker worker, int lane) {
        Database database = next.database();
        if (!database.hasLane(lane) || protocol.has(Rule.KEPT_FENCE) && !fence.holds(next, worker, lane)) {
            return;
        }
        if (database.laneToken(lane) != worker.token()) {
            next.violate(Property.FENCED_SETTLEMENT);
        }
        int handler = lane % State.HANDLERS;
        for (int event = 0; event < bounds.eventCount(); event++) {
            boolean attempted = bounds.lane(event, handler) == lane
                    && worker.keeps(event, handler)
                    && !worker.awaits(event, handler)
                    && worker.outcome(event, handler) != Outcome.NOT_INVOKED;
            if (attempted && database.delivery(event, handler) == DeliveryStatus.OPEN) {
                write(next, worker, event, handler);
            }
        }
        int left = bounds.ofLane(worker.kept() & worker.awaited(), lane);
        database.lease(lane, left == 0 ? 0 : database.laneLock(lane), events(left));
        lanes.refresh(database, lane);
        int row = fence.rowOf(next, worker);
        if (row >= 0 && left == 0 && !protocol.has(Rule.LAST_LANE_LEAVES_EVENTS)) {
            database.shrinkClaim(row, 0);
        }
    }

    static int events(int deliveries) {
        int events = 0;
        for (int event = 0; event < State.EVENTS; event++) {
            events |= (deliveries >> event * State.HANDLERS & (1 << State.HANDLERS) - 1) != 0 ? 1 << event : 0;
        }
        return events;
    }

    private int lane(Worker worker) {
        return bounds.lane(Integer.numberOfTrailingZeros(worker.events()), worker.handler());
    }

    private int attempted(Worker worker) {
        int attempted = 0;
        for (int event = 0; event < bounds.eventCount(); event++) {
            attempted |=
                    worker.hasEvent(event) && worker.outcome(event, worker.handler()) != Outcome.NONE ? 1 << event : 0;
        }
        return attempted;
    }
}
