package dev.outbox.chaos.model;

import dev.outbox.chaos.model.Worker.Outcome;
import dev.outbox.chaos.model.Worker.Work;

/**
 * Settlements of deliveries. One transaction, fenced by the token of each delivery, under the lock of the lane, writes the outcomes,
 * gives back what was not attempted, and lets the next delivery of the lane come up.
 */
record LaneSettlements(Protocol protocol, Bounds bounds, Dispatch dispatch, Fence fence) implements Role {

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
        if ((attempted & state.lockedRows()) != 0) {
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
        int handler = worker.handler();
        for (Outcome outcome : new Outcome[] {Outcome.SUCCEEDED, Outcome.FAILED, Outcome.NONE}) {
            for (int event = 0; event < bounds.eventCount(); event++) {
                boolean settled = (attempted >> event & 1) != 0 || last && worker.hasEvent(event);
                if (settled && worker.outcome(event, handler) == outcome) {
                    write(next, worker, event, outcome);
                }
            }
        }
        if (!last && protocol.has(Rule.KEEP_HEAD)) {
            keepHead(next, worker);
        }
        for (int event = 0; event < bounds.eventCount() && protocol.has(Rule.PROMOTE_NEXT); event++) {
            if (worker.hasEvent(event)) {
                Lanes.promote(bounds, next.database(), event, handler);
            }
        }
    }

    private void write(State next, Worker worker, int event, Outcome outcome) {
        Database database = next.database();
        int handler = worker.handler();
        DeliveryStatus status = database.delivery(event, handler);
        boolean exists = status == DeliveryStatus.DUE || status == DeliveryStatus.WAITING;
        if (!exists || protocol.has(Rule.DELIVERY_FENCE) && !fence.holds(next, worker, event, handler)) {
            return;
        }
        if (database.lock(event, handler) != worker.token()) {
            next.violate(Property.FENCED_SETTLEMENT);
        }
        database.setLock(event, handler, 0);
        if (outcome == Outcome.SUCCEEDED) {
            database.setDelivery(event, handler, DeliveryStatus.DONE);
        } else if (outcome == Outcome.FAILED) {
            boolean dead = dispatch.isDead(next, event, handler);
            database.setFailures(event, handler, database.failures(event, handler) + 1);
            database.setDelivery(event, handler, dead ? DeliveryStatus.DEAD : failed(database, event, handler));
        }
    }

    /** A delivery that failed waits if its lane has another head by now, or an earlier delivery. */
    private DeliveryStatus failed(Database database, int event, int handler) {
        database.setDelivery(event, handler, DeliveryStatus.WAITING);
        boolean isHead = Lanes.head(bounds, database, event, handler) < 0
                && Lanes.first(bounds, database, event, handler, DeliveryStatus.WAITING) == event;
        return isHead ? DeliveryStatus.DUE : DeliveryStatus.WAITING;
    }

    /** What the worker attempts next becomes the head, also if an earlier delivery has come into the lane meanwhile. */
    private void keepHead(State next, Worker worker) {
        int handler = worker.handler();
        for (int event = 0; event < bounds.eventCount(); event++) {
            if (worker.hasEvent(event) && worker.outcome(event, handler) == Outcome.NONE) {
                if (fence.holds(next, worker, event, handler)
                        && Lanes.head(bounds, next.database(), event, handler) < 0) {
                    next.database().setDelivery(event, handler, DeliveryStatus.DUE);
                }
                return;
            }
        }
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
