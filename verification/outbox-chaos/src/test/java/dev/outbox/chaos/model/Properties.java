package dev.outbox.chaos.model;

import dev.outbox.chaos.model.Database.Field;
import dev.outbox.chaos.model.Worker.Outcome;
import dev.outbox.chaos.model.Worker.Work;

/** What must be true in every state, and whenever a handler starts. */
record Properties(Bounds bounds, ClaimWindow window, Lanes lanes) {

    static int bit(int event, int handler) {
        return 1 << event * State.HANDLERS + handler;
    }

    /** Checks a state. */
    void check(State state) {
        Database database = state.database();
        for (int event = 0; event < bounds.eventCount(); event++) {
            if (database.isPending(event) && database.id(event) < window.start(database)) {
                state.violate(Property.GAPLESS_WINDOW);
            }
        }
        for (int lane = 0; lane < State.LANES; lane++) {
            checkLane(state, lane);
        }
        int owned = 0;
        for (int row = 0; row < Database.CLAIMS; row++) {
            int aggregates = aggregates(database.claimed(row));
            if ((owned & aggregates) != 0) {
                state.violate(Property.ONE_OWNER);
            }
            owned |= aggregates;
        }
    }

    private void checkLane(State state, int lane) {
        if (state.database().laneFirst(lane)
                != lanes.first(state.database(), lane / State.HANDLERS, lane % State.HANDLERS)) {
            state.violate(Property.LANE_ROW);
        }
    }

    private int aggregates(int eventSet) {
        int aggregates = 0;
        for (int event = 0; event < bounds.eventCount(); event++) {
            aggregates |= (eventSet >> event & 1) << bounds.aggregate(event);
        }
        return aggregates;
    }

    /** Whether every event has reached every handler, or is dead, and nothing is left to do. */
    boolean isComplete(State state) {
        boolean complete = !state.isCrashAhead();
        for (int event = 0; event < bounds.eventCount(); event++) {
            complete &= state.database().status(event) == EventStatus.DISPATCHED
                    || state.database().status(event) == EventStatus.ROLLED_BACK;
            for (int handler = 0; handler < bounds.handlers(); handler++) {
                int first = state.database().laneFirst(bounds.lane(event, handler));
                complete &= first < 0 || state.database().delivery(first, handler) == DeliveryStatus.BLOCKING;
            }
        }
        return complete;
    }

    /** Checks that a handler may start. */
    static void checkStart(Bounds bounds, State state, Worker worker, int event, int handler) {
        Database database = state.database();
        if (database.get(Field.INCARNATION_BEGUN) == 0 && worker.isTrusted()) {
            return; // The database has crashed a moment ago, and has not made any other claim yet.
        }
        if (!Fence.isLive(bounds, state, worker, event, handler)) {
            state.violate(Property.LIVE_CLAIM);
        }
        for (int other = 0; other < bounds.eventCount(); other++) {
            if (bounds.precedes(other, event) && !mayPass(bounds, state, worker, other, handler)
                    || bounds.precedes(event, other)
                            && database.delivery(other, handler) == DeliveryStatus.DONE
                            && !isOvertaken(database, event, handler)
                            && !database.has(Field.REPLAYED, event, handler)) {
                state.violate(Property.ORDER);
            }
        }
        if (isOwnedByAnother(bounds, state, worker, event, handler)) {
            state.violate(Property.ONE_OWNER);
        }
        DeliveryStatus expected = worker.work() == Work.LANE ? DeliveryStatus.OPEN : DeliveryStatus.NEW;
        if (database.delivery(event, handler) != expected) {
            state.violate(Property.SETTLED_STAYS);
        }
    }

    /** Checks that a handler may go on with a delivery that it was handed out earlier, maybe under a claim that is lost now. */
    static void checkGoesOn(Bounds bounds, State state, int event, int handler) {
        for (int earlier = 0; earlier < bounds.eventCount(); earlier++) {
            if (bounds.precedes(earlier, event)
                    && state.database().isCommitted(earlier)
                    && state.database().delivery(earlier, handler) != DeliveryStatus.SKIPPED
                    && (state.handled() & bit(earlier, handler)) == 0) {
                state.violate(Property.ORDER);
            }
        }
    }

    /** Whether another worker runs the handler for the same aggregate, or is about to do so for an earlier event of the lane. */
    private static boolean isOwnedByAnother(Bounds bounds, State state, Worker worker, int event, int handler) {
        boolean owned = false;
        for (int number = 0; number < bounds.workers(); number++) {
            Worker other = state.worker(number);
            for (int another = 0; another < bounds.eventCount(); another++) {
                boolean runs = other.isRunning() && other.runningEvent() == another && other.runningHandler() == handler
                        || other.awaits(another, handler);
                boolean sameLane = other.work() == Work.LANE && worker.work() == Work.LANE;
                boolean hasEarlier =
                        sameLane && other.handler() == handler && other.hasEvent(another) && another < event;
                owned |= number + 1 != worker.token()
                        && (runs || hasEarlier)
                        && bounds.aggregate(another) == bounds.aggregate(event)
                        && (Fence.isLive(bounds, state, other, another, handler)
                                || other.isTrusted() && other.keeps(another, handler) && !other.hasEvent(another))
                        && (sameLane || !isOvertaken(state.database(), event, another, handler));
            }
        }
        return owned;
    }

    /** An operator may retry a dead letter while a worker has a claim of later events: then both may run at once. */
    private static boolean isOvertaken(Database database, int one, int other, int handler) {
        return isOvertaken(database, one, handler) || isOvertaken(database, other, handler);
    }

    /** Whether a later event of the aggregate may reach a handler. */
    private static boolean mayPass(Bounds bounds, State state, Worker worker, int earlier, int handler) {
        Database database = state.database();
        DeliveryStatus status = database.delivery(earlier, handler);
        return !database.isCommitted(earlier)
                || status == DeliveryStatus.DONE
                || status == DeliveryStatus.DEAD
                || status == DeliveryStatus.SKIPPED
                || database.has(Field.REPLAYED, earlier, handler) && worker.passesReplay(bounds.lane(earlier, handler))
                || isOvertaken(database, earlier, handler)
                || (worker.hasEvent(earlier) || worker.keeps(earlier, handler)) && isOver(worker, earlier, handler);
    }

    private static boolean isOver(Worker worker, int event, int handler) {
        Outcome outcome = worker.outcome(event, handler);
        return worker.awaits(event, handler)
                || outcome == Outcome.SUCCEEDED
                || outcome == Outcome.FAILED && worker.work() == Work.LANE;
    }

    private static boolean isOvertaken(Database database, int event, int handler) {
        return database.has(Field.OVERTAKEN, event, handler);
    }
}
