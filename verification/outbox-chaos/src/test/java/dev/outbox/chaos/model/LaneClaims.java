package dev.outbox.chaos.model;

import dev.outbox.chaos.model.Database.Field;
import dev.outbox.chaos.model.Worker.Outcome;
import dev.outbox.chaos.model.Worker.Work;

/**
 * Claims of lanes. A claim finds a lane that is due, locks its row, reads its deliveries, and leases the lane for the first of them.
 * Deliveries that have not failed bring along what waits behind them, as much as there is room for.
 */
record LaneClaims(Protocol protocol, Bounds bounds, Claims claims) implements Role {

    @Override
    public void addSteps(State state, Steps steps) {
        boolean atOnce = protocol.has(Rule.CHECK_UNDER_LOCK) && protocol.has(Rule.READ_AFTER_LOCK);
        for (int number = 0; number < bounds.workers(); number++) {
            Worker worker = state.worker(number);
            if (worker.work() == Work.LOOKING) {
                int lane = bounds.lane(Integer.numberOfTrailingZeros(worker.events()), worker.handler());
                lock(state.copy(), number, lane, steps);
            }
            for (int lane = 0; lane < State.LANES && worker.isIdle(); lane++) {
                State next = state.copy();
                boolean begun = claims.beginIncarnation(next);
                if (!isDue(next, lane)) {
                    continue;
                }
                int deliveries = deliveries(next.database(), lane);
                if (deliveries == 0) {
                    putOff(next, number, lane, begun, steps);
                } else if (atOnce) {
                    takeSome(next, number, lane, deliveries, steps);
                } else {
                    look(next, number, lane, deliveries, steps);
                }
            }
        }
    }

    private boolean isDue(State state, int lane) {
        Database database = state.database();
        return database.hasLane(lane)
                && !state.isLaneLocked(lane)
                && (database.laneToken(lane) == 0 || !protocol.has(Rule.LANE_LEASE));
    }

    /** The first deliveries of a lane that may be attempted. */
    private int deliveries(Database database, int lane) {
        int handler = lane % State.HANDLERS;
        int deliveries = 0;
        for (int event = 0; event < bounds.eventCount(); event++) {
            if (bounds.aggregate(event) != lane / State.HANDLERS || !Lanes.isOpen(database.delivery(event, handler))) {
                continue;
            }
            if (database.delivery(event, handler) == DeliveryStatus.BLOCKING || waits(database, event, lane)) {
                return deliveries;
            }
            deliveries |= 1 << event;
            boolean suspected = database.crashes(lane) > 0 && protocol.has(Rule.ONE_AFTER_CRASH);
            if (database.failures(event, handler) > 0 || suspected) {
                return deliveries;
            }
        }
        return deliveries;
    }

    private boolean waits(Database database, int event, int lane) {
        boolean older = false;
        for (int row = 0; row < Database.CLAIMS; row++) {
            older |= database.claimed(row) != 0 && (database.replayedLanes(row) >> lane & 1) != 0;
        }
        return older && database.has(Field.REPLAYED, event, lane % State.HANDLERS) && protocol.has(Rule.REPLAY_WAITS);
    }

    private void putOff(State next, int number, int lane, boolean begun, Steps steps) {
        if (begun) {
            steps.add(
                    next,
                    () -> "%s puts off a lane of handler %d"
                            .formatted(next.worker(number).name(), lane % State.HANDLERS + 1));
        }
    }

    /** Without the lock of the lane, another transaction comes between what a claim sees and what it writes. */
    private void look(State next, int number, int lane, int deliveries, Steps steps) {
        next.worker(number).look(deliveries, lane % State.HANDLERS);
        steps.add(
                next,
                () -> "%s finds %s in the lane of handler %d"
                        .formatted(next.worker(number).name(), bounds.names(deliveries), lane % State.HANDLERS + 1));
    }

    private void lock(State next, int number, int lane, Steps steps) {
        int found = next.worker(number).events();
        Database database = next.database();
        boolean due = database.hasLane(lane)
                && !next.isLaneLocked(lane)
                && (!protocol.has(Rule.CHECK_UNDER_LOCK) || isDue(next, lane));
        int deliveries = due && protocol.has(Rule.READ_AFTER_LOCK) ? deliveries(database, lane) : found;
        if (due && deliveries != 0) {
            take(next, number, lane, deliveries, steps);
        } else {
            next.worker(number).clear();
            steps.add(next, () -> next.worker(number).name() + " finds the lane taken");
        }
    }

    private void takeSome(State next, int number, int lane, int deliveries, Steps steps) {
        for (int some = deliveries; some != 0; some &= ~Integer.highestOneBit(some)) {
            take(next.copy(), number, lane, some, steps);
        }
    }

    private void take(State next, int number, int lane, int deliveries, Steps steps) {
        Database database = next.database();
        Worker worker = next.worker(number);
        database.lease(lane, worker.token(), deliveries);
        worker.claim(Work.LANE, deliveries, lane % State.HANDLERS);
        if (database.crashes(lane) > Lanes.MOST_CRASHES) {
            worker.setOutcome(Integer.numberOfTrailingZeros(deliveries), lane % State.HANDLERS, Outcome.NOT_INVOKED);
        }
        steps.add(
                next,
                () -> "%s claims %s in the lane of handler %d"
                        .formatted(worker.name(), bounds.names(deliveries), lane % State.HANDLERS + 1));
    }
}
