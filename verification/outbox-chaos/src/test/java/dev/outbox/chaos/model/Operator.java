package dev.outbox.chaos.model;

import dev.outbox.chaos.model.Database.Field;

/** An operator who retries dead letters. A retry commits durably, under the locks that every settlement takes. */
record Operator(Protocol protocol, Bounds bounds) implements Role {

    @Override
    public void addSteps(State state, Steps steps) {
        if (state.isCrashAhead() || !bounds.allows(state, Fault.OPERATOR_RETRY)) {
            return;
        }
        for (int event = 0; event < bounds.eventCount(); event++) {
            for (int handler = 0; handler < bounds.handlers(); handler++) {
                if (state.database().delivery(event, handler) == DeliveryStatus.DEAD) {
                    retry(state, event, handler, steps);
                }
            }
        }
    }

    private void retry(State state, int event, int handler, Steps steps) {
        State next = state.copy();
        Database database = next.database();
        if (isOvertaken(next, event, handler)) {
            database.set(Field.OVERTAKEN, database.get(Field.OVERTAKEN) | Properties.bit(event, handler));
        }
        database.setDelivery(event, handler, DeliveryStatus.WAITING);
        database.setFailures(event, handler, 0);
        database.setLock(event, handler, 0);
        int head = Lanes.head(bounds, database, event, handler);
        if (head >= 0
                && protocol.has(Rule.DEMOTE_HEAD)
                && bounds.precedes(event, head)
                && !database.isLockLive(head, handler)) {
            database.setDelivery(head, handler, DeliveryStatus.WAITING);
            if (protocol.has(Rule.DEMOTION_ENDS_CLAIM)) {
                Lanes.endClaim(bounds, database, head, handler);
            }
        }
        Lanes.promote(bounds, database, event, handler);
        steps.addFault(
                Fault.OPERATOR_RETRY,
                next,
                () -> "the operator retries %s for handler %d".formatted(bounds.name(event), handler + 1));
    }

    /** Whether a later event of the lane has reached the handler, or is claimed: the retry comes too late for the order. */
    private boolean isOvertaken(State state, int event, int handler) {
        boolean overtaken = false;
        for (int later = 0; later < bounds.eventCount(); later++) {
            if (bounds.precedes(event, later)) {
                overtaken |= state.database().delivery(later, handler) == DeliveryStatus.DONE
                        || state.database().isLockLive(later, handler)
                        || isClaimed(state, later);
            }
        }
        return overtaken;
    }

    private static boolean isClaimed(State state, int event) {
        boolean claimed = false;
        for (int row = 0; row < Database.CLAIMS; row++) {
            claimed |= (state.database().claimed(row) >> event & 1) != 0;
        }
        return claimed;
    }
}
