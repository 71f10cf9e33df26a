package dev.outbox.chaos.model;

import dev.outbox.chaos.model.Worker.Outcome;
import dev.outbox.chaos.model.Worker.Work;

/**
 * Settlements of claimed events. One transaction, fenced by the claim, writes the outcomes: an event that all handlers have
 * handled is published; any other gets a delivery for each handler that failed or has earlier deliveries in its lane. The claim
 * ends, or continues with the events that are left.
 */
record Settlements(
        Protocol protocol, Bounds bounds, Lanes lanes, Dispatch dispatch, Fence fence, LaneSettlements laneSettlements)
        implements Role {

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
        if (bounds.later()) {
            settleLater(state, number, done, steps);
        } else if (!protocol.has(Rule.LANE_LOCK) && parksInto(worker, done, -1) && worker.notedLanes() < 0) {
            State next = state.copy();
            next.worker(number).noteLanes(rows(state.database()));
            steps.add(next, () -> worker.name() + " looks which lanes have a row");
        } else if (done == worker.events()) {
            settle(state, number, done, true, steps);
        } else if (done != 0) {
            settle(state, number, done, false, steps);
        }
        if (done != worker.events() && !bounds.later() && bounds.allows(state, Fault.STOP)) {
            State next = state.copy();
            boolean held = write(next, next.worker(number), done, true);
            next.forget(next.worker(number));
            steps.addFault(Fault.STOP, next, () -> text(worker, done, held) + ", gives back the rest and stops");
        }
    }

    private void settle(State state, int number, int done, boolean last, Steps steps) {
        State next = state.copy();
        Worker worker = next.worker(number);
        decideToKeep(worker, done);
        State undone = next.copy();
        boolean keeps = worker.kept() != state.worker(number).kept();
        boolean held = write(next, worker, done, last);
        if (bounds.allows(state, Fault.LOST_ANSWER) && held && keeps) {
            forgetDecision(undone.worker(number));
            steps.addFault(Fault.LOST_ANSWER, undone, () -> text(worker, done, true) + ", which fails");
        }
        if (bounds.allows(state, Fault.LOST_ANSWER) && held) {
            State unanswered = next.copy();
            forgetDecision(unanswered.worker(number));
            steps.addFault(Fault.LOST_ANSWER, unanswered, () -> text(worker, done, true) + ", but gets no answer");
        }
        if (held && bounds.later()) {
            keep(next, worker, done);
        } else if (!last && held) {
            worker.removeEvents(written(worker, done));
            worker.forgetLanes();
        }
        if (!held || worker.events() == 0 && worker.kept() == 0 || last && !bounds.later()) {
            LaterOutcomes.abandon(bounds, next, worker);
            next.forget(worker);
        }
        steps.add(next, () -> text(next.worker(number), done, held));
    }

    /** Settles what is done. When patience is over, also what waits for outcomes that come later: the claim keeps the lanes of these. */
    private void settleLater(State state, int number, int done, Steps steps) {
        Worker worker = state.worker(number);
        int open = 0;
        for (int event = 0; event < bounds.eventCount(); event++) {
            open |= worker.hasEvent(event) && dispatch.isHandedOut(worker, event) && !waits(worker, event)
                    ? 1 << event
                    : 0;
        }
        if (done != 0) {
            settle(state, number, done, done == worker.events(), steps);
        }
        if (open != done && (open & state.lockedRows()) == 0 && !parksInto(worker, open, state.lockedLanes())) {
            settle(state, number, open, open == worker.events(), steps);
        }
        if (worker.eventsToKeep() == 0
                && (worker.awaited() != 0 || done != worker.events())
                && bounds.allows(state, Fault.STOP)
                && laneSettlements.canSettleKept(state, worker)) {
            stop(state, number, steps);
        }
    }

    /** Nothing that is awaited counts as attempted. The lanes that the claim keeps come first. */
    private void stop(State state, int number, Steps steps) {
        State next = state.copy();
        Worker worker = next.worker(number);
        LaterOutcomes.abandon(bounds, next, worker);
        LaterOutcomes.stopAwaiting(worker, worker.awaited());
        laneSettlements.settleKept(next, worker);
        int done = done(worker);
        if ((done & state.lockedRows()) == 0 && !parksInto(worker, done, state.lockedLanes())) {
            boolean held = write(next, worker, done, true);
            String text = text(worker, done, held);
            next.forget(worker);
            steps.addFault(Fault.STOP, next, () -> text + ", gives back the rest and stops");
        }
    }

    /** The decision stands when the settlement is repeated, whatever has come until then. */
    private void decideToKeep(Worker worker, int settled) {
        for (int event = 0; event < bounds.eventCount() && worker.awaited() != 0; event++) {
            for (int handler = 0; handler < bounds.handlers() && (settled >> event & 1) != 0; handler++) {
                if (worker.awaits(event, handler)) {
                    worker.keep(event, handler, true);
                }
            }
        }
    }

    private void forgetDecision(Worker worker) {
        for (int event = 0; event < bounds.eventCount() && !protocol.has(Rule.KEPT_STAYS_KEPT); event++) {
            for (int handler = 0; handler < bounds.handlers() && worker.hasEvent(event); handler++) {
                worker.keep(event, handler, false);
            }
        }
    }

    /** Notes what the settlement tells: the lanes that the claim keeps. Any other lane has earlier deliveries, and blocks. */
    private void keep(State next, Worker worker, int settled) {
        for (int event = 0; event < bounds.eventCount(); event++) {
            for (int handler = 0; handler < bounds.handlers() && (settled >> event & 1) != 0; handler++) {
                if (!worker.keeps(event, handler)) {
                    worker.setOutcome(event, handler, Outcome.NONE);
                } else if (!isKept(next, worker, event, handler)) {
                    int ofLane = bounds.ofLane(worker.awaited(), bounds.lane(event, handler));
                    LaterOutcomes.abandon(next, ofLane);
                    LaterOutcomes.stopAwaiting(worker, ofLane);
                    worker.block(bounds.aggregate(event), handler);
                    worker.dropKept(Properties.bit(event, handler));
                }
            }
        }
        worker.dropEvents(settled);
        dispatch.queueBlocked(next, worker);
    }

    /** Also after a settlement whose answer was lost, and when the outcome has come since. */
    private boolean isKept(State state, Worker worker, int event, int handler) {
        int lane = bounds.lane(event, handler);
        return protocol.has(Rule.CLAIM_KEEPS_LANE)
                ? fence.holds(state, worker, lane)
                        && (state.database().laneHeld(lane) >> event & 1) != 0
                        && state.database().delivery(event, handler) == DeliveryStatus.OPEN
                : worker.keeps(event, handler);
    }

    private String text(Worker worker, int done, boolean held) {
        return worker.name() + (held ? " settles " + bounds.names(done) : " finds its claim lost when it settles");
    }

    /** Writes outcomes; returns whether the claim is still the worker's. Changes nothing in the worker's memory. */
    private boolean write(State next, Worker worker, int done, boolean last) {
        int row = fence.rowOf(next, worker);
        if (!fence.isHeld(next, worker) && protocol.has(Rule.SETTLE_NEEDS_CLAIM)) {
            return false;
        }
        int written = last ? done : written(worker, done);
        for (int event = 0; event < bounds.eventCount(); event++) {
            if ((written >> event & 1) != 0 && next.database().isPending(event)) {
                write(next, worker, event, row);
            }
        }
        if (row >= 0) {
            if (next.database().claimToken(row) != worker.token()) {
                next.violate(Property.FENCED_SETTLEMENT);
            }
            next.database().shrinkClaim(row, last ? 0 : next.database().claimed(row) & ~written);
            if (last && !protocol.has(Rule.LAST_EVENT_LEAVES_LANES)) {
                next.database().dangle(worker.token());
            }
        }
        return true;
    }

    private void write(State next, Worker worker, int event, int row) {
        Database database = next.database();
        if (!Fence.owns(next, worker, event)) {
            next.violate(Property.FENCED_SETTLEMENT);
        }
        database.setStatus(event, EventStatus.DISPATCHED);
        for (int handler = 0; handler < bounds.handlers(); handler++) {
            Outcome outcome = worker.keeps(event, handler) ? Outcome.NONE : worker.outcome(event, handler);
            if (outcome == Outcome.SUCCEEDED) {
                database.setDelivery(event, handler, DeliveryStatus.DONE);
            } else {
                database.setFailures(event, handler, outcome == Outcome.FAILED ? 1 : 0);
                database.setDelivery(event, handler, DeliveryStatus.OPEN);
                int lane = bounds.lane(event, handler);
                boolean isNew = !database.hasLane(lane);
                boolean noted = worker.notedLanes() >= 0 && (worker.notedLanes() >> lane & 1) != 0;
                if (!noted) {
                    lanes.refresh(database, lane);
                }
                if (worker.keeps(event, handler) && row >= 0) {
                    keepLane(database, lane, isNew, worker, event, row);
                }
            }
        }
    }

    private void keepLane(Database database, int lane, boolean isNew, Worker worker, int event, int row) {
        if (isNew && protocol.has(Rule.CLAIM_KEEPS_LANE)) {
            database.lease(lane, database.claimLock(row), 1 << event);
        } else if (database.laneToken(lane) == worker.token()) {
            database.lease(lane, database.laneLock(lane), database.laneHeld(lane) | 1 << event);
        }
    }

    /** The events of a partial settlement. */
    private int written(Worker worker, int done) {
        return protocol.has(Rule.SETTLE_IN_ORDER) || done == worker.events() ? done : Integer.highestOneBit(done);
    }

    private int done(Worker worker) {
        int done = 0;
        for (int event = 0; event < bounds.eventCount(); event++) {
            done |= worker.hasEvent(event)
                            && dispatch.isDone(worker, event)
                            && !isToKeep(worker, event)
                            && !waits(worker, event)
                    ? 1 << event
                    : 0;
        }
        return done;
    }

    /** Whether it has decided to keep a lane for an event, or for one in front of it, and has not written that yet. */
    private boolean isToKeep(Worker worker, int event) {
        int toKeep = worker.eventsToKeep();
        boolean isToKeep = (toKeep >> event & 1) != 0;
        for (int earlier = 0; earlier < event; earlier++) {
            isToKeep |= (toKeep >> earlier & 1) != 0 && bounds.precedes(earlier, event);
        }
        return isToKeep;
    }

    /** Whether an outcome of an earlier event has come whose lane is kept, and is not settled yet. */
    private boolean waits(Worker worker, int event) {
        boolean waits = false;
        boolean decided = (worker.eventsToKeep() >> event & 1) != 0;
        for (int earlier = 0; earlier < event && worker.kept() != 0; earlier++) {
            for (int handler = 0; handler < bounds.handlers(); handler++) {
                waits |= bounds.precedes(earlier, event)
                        && worker.keeps(earlier, handler)
                        && !worker.awaits(earlier, handler);
            }
        }
        return waits && !decided && protocol.has(Rule.KEPT_BEFORE_LATER_EVENTS);
    }

    /** Whether a settlement adds deliveries to one of some lanes. */
    private boolean parksInto(Worker worker, int done, int laneSet) {
        boolean parks = false;
        for (int event = 0; event < bounds.eventCount(); event++) {
            for (int handler = 0; handler < bounds.handlers(); handler++) {
                parks |= (done >> event & 1) != 0
                        && (worker.outcome(event, handler) != Outcome.SUCCEEDED || worker.keeps(event, handler))
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
