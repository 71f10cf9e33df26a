package dev.outbox.chaos.model;

import dev.outbox.chaos.model.Database.Field;
import dev.outbox.chaos.model.Worker.Work;

/**
 * An operator who retries and skips deliveries, and replays that add events that were delivered. Each locks the rows of the lanes, changes
 * deliveries, and refreshes the rows. It commits durably. A claim that has expired and is not ended yet counts as held.
 */
record Operator(Protocol protocol, Bounds bounds, Lanes lanes) implements Role {

    @Override
    public void addSteps(State state, Steps steps) {
        for (int event = 0; event < bounds.eventCount() && !state.isCrashAhead(); event++) {
            for (int handler = 0; handler < bounds.handlers(); handler++) {
                if (!state.isLaneLocked(bounds.lane(event, handler))) {
                    addSteps(state, event, handler, steps);
                }
            }
        }
    }

    private void addSteps(State state, int event, int handler, Steps steps) {
        State next = state.copy();
        Database database = next.database();
        int lane = bounds.lane(event, handler);
        DeliveryStatus status = database.delivery(event, handler);
        boolean dead = status == DeliveryStatus.DEAD || status == DeliveryStatus.BLOCKING;
        boolean busy = database.laneToken(lane) != 0 && protocol.has(Rule.LEASED_IS_BUSY);
        if (dead && bounds.allows(state, Fault.OPERATOR_RETRY)) {
            change(next.copy(), event, handler, Fault.OPERATOR_RETRY, steps);
        }
        if ((dead || status == DeliveryStatus.OPEN && !busy) && bounds.allows(state, Fault.OPERATOR_SKIP)) {
            change(next.copy(), event, handler, Fault.OPERATOR_SKIP, steps);
        }
        boolean delivered = status == DeliveryStatus.DONE && database.status(event) == EventStatus.DISPATCHED;
        if (delivered && bounds.allows(state, Fault.REPLAY)) {
            change(next.copy(), event, handler, Fault.REPLAY, steps);
        }
    }

    private void change(State next, int event, int handler, Fault what, Steps steps) {
        Database database = next.database();
        int lane = bounds.lane(event, handler);
        if (what == Fault.OPERATOR_RETRY && isOvertaken(next, event, handler)) {
            database.set(Field.OVERTAKEN, event, handler, true);
        } else if (what == Fault.REPLAY) {
            replay(next, event, handler);
        }
        boolean skipped = what == Fault.OPERATOR_SKIP;
        database.setDelivery(event, handler, skipped ? DeliveryStatus.SKIPPED : DeliveryStatus.OPEN);
        database.setFailures(event, handler, 0);
        database.set(Field.CRASHED_ALONE, event, handler, false);
        if (what == Fault.OPERATOR_RETRY && database.laneFirst(lane) == event) {
            database.setCrashes(lane, 0);
        }
        lanes.refresh(database, lane);
        steps.addFault(what, next, () -> "%s of %s for handler %d".formatted(what, bounds.name(event), handler + 1));
    }

    /** Older claims do not know of what is replayed, and go on. */
    private void replay(State next, int event, int handler) {
        Database database = next.database();
        int lane = bounds.lane(event, handler);
        database.set(Field.REPLAYED, event, handler, true);
        for (int row = 0; row < Database.CLAIMS; row++) {
            for (int other = 0; other < bounds.eventCount(); other++) {
                if ((database.claimed(row) >> other & 1) != 0 && bounds.aggregate(other) == bounds.aggregate(event)) {
                    database.noteReplay(row, lane);
                }
            }
        }
        for (int number = 0; number < bounds.workers(); number++) {
            Worker worker = next.worker(number);
            boolean hasLane = worker.work() == Work.LANE && database.laneToken(lane) == worker.token();
            if (worker.work() == Work.BATCH || hasLane) {
                worker.passReplay(lane);
            }
        }
    }

    /** Whether a later event of the lane has reached the handler, or is claimed: the retry comes too late for the order. */
    private boolean isOvertaken(State state, int event, int handler) {
        boolean overtaken = false;
        for (int later = 0; later < bounds.eventCount(); later++) {
            if (bounds.precedes(event, later)) {
                overtaken |= state.database().delivery(later, handler) == DeliveryStatus.DONE
                        || isLeased(state.database(), later, handler)
                        || isClaimed(state, later);
            }
        }
        return overtaken;
    }

    private boolean isLeased(Database database, int event, int handler) {
        int lane = bounds.lane(event, handler);
        return database.laneToken(lane) != 0 && (database.laneHeld(lane) >> event & 1) != 0;
    }

    private static boolean isClaimed(State state, int event) {
        boolean claimed = false;
        for (int row = 0; row < Database.CLAIMS; row++) {
            claimed |= (state.database().claimed(row) >> event & 1) != 0;
        }
        return claimed;
    }
}
