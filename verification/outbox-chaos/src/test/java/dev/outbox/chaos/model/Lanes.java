package dev.outbox.chaos.model;

import dev.outbox.chaos.model.Worker.Work;

/**
 * Lanes: the deliveries of one handler for one aggregate, in order. Only the head of a lane is due. A head that has not failed
 * brings along what waits behind it, as much as there is room for.
 */
record Lanes(Protocol protocol, Bounds bounds, Claims claims) implements Role {

    private static final int NONE = -1;

    /** The head of the lane that an event belongs to at a handler; -1 if there is none. */
    static int head(Bounds bounds, Database database, int event, int handler) {
        return first(bounds, database, event, handler, DeliveryStatus.DUE);
    }

    /** The earliest delivery with a status in the lane that an event belongs to; -1 if there is none. */
    static int first(Bounds bounds, Database database, int event, int handler, DeliveryStatus status) {
        for (int other = 0; other < bounds.eventCount(); other++) {
            if (bounds.aggregate(other) == bounds.aggregate(event) && database.delivery(other, handler) == status) {
                return other;
            }
        }
        return NONE;
    }

    /** Lets the next delivery of a lane without a head come up. */
    static void promote(Bounds bounds, Database database, int event, int handler) {
        int next = first(bounds, database, event, handler, DeliveryStatus.WAITING);
        if (next != NONE && head(bounds, database, event, handler) == NONE) {
            database.setDelivery(next, handler, DeliveryStatus.DUE);
        }
    }

    /** Ends the expired claim of the head of a lane, also for what its worker has claimed behind it. */
    static void endClaim(Bounds bounds, Database database, int head, int handler) {
        int token = database.lock(head, handler);
        for (int other = head; other < bounds.eventCount(); other++) {
            if (bounds.aggregate(other) == bounds.aggregate(head) && database.lock(other, handler) == token) {
                database.setLock(other, handler, 0);
            }
        }
    }

    @Override
    public void addSteps(State state, Steps steps) {
        for (int number = 0; number < bounds.workers(); number++) {
            for (int event = 0;
                    event < bounds.eventCount() && state.worker(number).isIdle();
                    event++) {
                for (int handler = 0; handler < bounds.handlers(); handler++) {
                    if (isDue(state.database(), event, handler)) {
                        claim(state, number, event, handler, steps);
                    }
                }
            }
        }
    }

    private boolean isDue(Database database, int event, int handler) {
        DeliveryStatus status = database.delivery(event, handler);
        return status == DeliveryStatus.DUE
                || status == DeliveryStatus.WAITING && !protocol.has(Rule.HEAD_OF_LANE_ONLY);
    }

    private void claim(State state, int number, int event, int handler, Steps steps) {
        State free = state.copy();
        claims.beginIncarnation(free);
        if (!isTaken(free.database(), event, handler)) {
            int following = following(free.database(), event, handler);
            for (int some = following; some != 0; some &= ~Integer.highestOneBit(some)) {
                take(free.copy(), number, handler, 1 << event | some, steps);
            }
            take(free, number, handler, 1 << event, steps);
        }
    }

    private void take(State next, int number, int handler, int deliveries, Steps steps) {
        Worker worker = next.worker(number);
        if (protocol.has(Rule.LANE_CLAIM_ENDS_OLDER_CLAIM)) {
            endClaim(bounds, next.database(), Integer.numberOfTrailingZeros(deliveries), handler);
        }
        for (int event = 0; event < bounds.eventCount(); event++) {
            if ((deliveries >> event & 1) != 0) {
                next.database().setLock(event, handler, worker.token());
            }
        }
        worker.claim(Work.LANE, deliveries, handler);
        steps.add(
                next,
                () -> "%s claims %s in the lane of handler %d"
                        .formatted(worker.name(), bounds.names(deliveries), handler + 1));
    }

    private boolean isTaken(Database database, int event, int handler) {
        return database.isLockLive(event, handler) && protocol.has(Rule.DELIVERY_LEASE);
    }

    private int following(Database database, int head, int handler) {
        int following = 0;
        for (int event = head + 1; event < bounds.eventCount() && database.failures(head, handler) == 0; event++) {
            if (bounds.precedes(head, event) && database.delivery(event, handler) == DeliveryStatus.WAITING) {
                if (isTaken(database, event, handler)) {
                    return following;
                }
                following |= 1 << event;
            }
        }
        return following;
    }
}
