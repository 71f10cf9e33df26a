package dev.outbox.chaos.model;

import dev.outbox.chaos.model.Database.Field;

/** What transactions do to the row of a lane: the deliveries of one handler for one aggregate, in order. */
record Lanes(Protocol protocol, Bounds bounds) {

    /** How many leases may expire under the first delivery of a lane; the next one makes it dead. */
    static final int MOST_CRASHES = 1;

    private static final int NONE = -1;
    private static final int MOST_COUNTED = 3;

    /** The first delivery that is open or blocks the lane of an event; -1 if there is none. */
    int first(Database database, int aggregate, int handler) {
        for (int event = 0; event < bounds.eventCount(); event++) {
            if (bounds.aggregate(event) == aggregate && isOpen(database.delivery(event, handler))) {
                return event;
            }
        }
        return NONE;
    }

    static boolean isOpen(DeliveryStatus status) {
        return status == DeliveryStatus.OPEN || status == DeliveryStatus.BLOCKING;
    }

    /**
     * Ends the claim of a lane if it has expired, and counts that, unless the database has crashed since. While another session has locked
     * the row of the lane, the claim is only taken from its worker. Returns whether anything has changed.
     */
    boolean endExpired(State state, int lane) {
        Database database = state.database();
        if (database.laneToken(lane) == 0 || database.isLaneLive(lane)) {
            return false;
        }
        if (state.isLaneLocked(lane)) {
            boolean owned = database.laneToken(lane) != Database.ORPHAN;
            if (protocol.has(Rule.VOID_WHILE_LOCKED)) {
                database.voidLane(lane);
            } else {
                database.lease(lane, Database.DANGLING, 0);
            }
            return owned;
        }
        int held = database.laneHeld(lane);
        if (!database.isLaneOutdated(lane)) {
            if (Integer.bitCount(held) == 1) {
                database.set(Field.CRASHED_ALONE, Integer.numberOfTrailingZeros(held), lane % State.HANDLERS, true);
            }
            database.setCrashes(lane, Math.min(database.crashes(lane) + 1, MOST_COUNTED));
        }
        database.lease(lane, 0, 0);
        return true;
    }

    /** Writes or deletes the row of a lane after its deliveries have changed. A lease stays. */
    void refresh(Database database, int lane) {
        int first = first(database, lane / State.HANDLERS, lane % State.HANDLERS);
        if (first == NONE) {
            database.deleteLane(lane);
            return;
        }
        if (database.hasLane(lane) && database.laneFirst(lane) != first && protocol.has(Rule.COUNT_RETURNS)) {
            boolean blames = database.laneToken(lane) == 0 || !protocol.has(Rule.LEASE_BLAMES_ITS_OWN);
            database.setCrashes(lane, Math.min(database.crashes(lane), blames ? 1 : 0));
        }
        database.setLaneFirst(lane, first);
    }
}
