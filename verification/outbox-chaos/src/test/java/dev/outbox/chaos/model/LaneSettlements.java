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
        }
    }

    private void settle(State state, int number, Steps steps) {
        Worker worker = state.worker(number);
        int attempted = attempted(worker);
        if ((attempted & state.lockedRows()) != 0 || state.isLaneLocked(lane(worker))) {
            return;
        }
        int following = dispatch.next(state, worker);
        if (following < 0) {
            settle(state, number, attempted, true, steps);
        } else if (attempted != 0) {
            settle(state, number, attempted, false, steps);
        }
        if (following >= 0 && bounds.allows(state, Fault.STOP)) {
            State next = state.copy();
            write(next, next.worker(number), attempted, true);
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
                write(next, worker, event);
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

    private void write(State next, Worker worker, int event) {
        Database database = next.database();
        int handler = worker.handler();
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
        }
        database.set(Field.CRASHED_ALONE, event, handler, false);
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
