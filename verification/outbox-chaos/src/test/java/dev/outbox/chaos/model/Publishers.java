package dev.outbox.chaos.model;

import dev.outbox.chaos.model.Database.Field;

/**
 * Publishers, one transaction for each event. The counter of the aggregate, which is locked until the transaction ends, gives
 * the events of an aggregate their order. Events of different aggregates may commit in another order than that of their ids.
 */
record Publishers(Protocol protocol, Bounds bounds) implements Role {

    /** The database before the first step. */
    State initial() {
        State state = new State();
        Database database = state.database();
        for (int event = 0; event < bounds.eventCount() && !bounds.publishing(); event++) {
            database.drawId(event);
            database.setStatus(event, EventStatus.PENDING);
        }
        database.set(Field.INCARNATION_BEGUN, 1);
        return state;
    }

    @Override
    public void addSteps(State state, Steps steps) {
        for (int event = 0; event < bounds.eventCount(); event++) {
            switch (state.database().status(event)) {
                case ABSENT -> begin(state, event, steps);
                case WRITING -> draw(state, event, steps);
                case DRAWN_TOO_EARLY -> move(state, event, EventStatus.DRAWN, "gets its transaction id", steps);
                case DRAWN -> end(state, event, steps);
                default -> {}
            }
        }
    }

    private void begin(State state, int event, Steps steps) {
        int previous = previous(event);
        if (previous >= 0 && state.database().status(previous) == EventStatus.ABSENT) {
            return;
        }
        if (protocol.has(Rule.TRANSACTION_ID_FIRST)) {
            move(state, event, EventStatus.WRITING, "gets its transaction id", steps);
        } else if (hasCounter(state, event)) {
            State next = state.copy();
            next.database().drawId(event);
            next.database().setStatus(event, EventStatus.DRAWN_TOO_EARLY);
            steps.add(next, () -> drawn(next, event));
        }
    }

    private void draw(State state, int event, Steps steps) {
        if (hasCounter(state, event)) {
            State next = state.copy();
            next.database().drawId(event);
            next.database().setStatus(event, EventStatus.DRAWN);
            steps.add(next, () -> drawn(next, event));
        }
    }

    private String drawn(State next, int event) {
        return "the publisher of " + bounds.name(event) + " draws event id "
                + next.database().id(event);
    }

    /** A commit of a publisher flushes everything that was committed before it. */
    private void end(State state, int event, Steps steps) {
        if (!state.isCrashAhead()) {
            State committed = ended(state, event, EventStatus.PENDING);
            steps.add(committed, () -> "the publisher of " + bounds.name(event) + " commits");
        }
        if (bounds.allows(state, Fault.ROLLBACK)) {
            State rolledBack = ended(state, event, EventStatus.ROLLED_BACK);
            steps.addFault(Fault.ROLLBACK, rolledBack, () -> "the publisher of " + bounds.name(event) + " rolls back");
        }
    }

    private void move(State state, int event, EventStatus status, String what, Steps steps) {
        State next = state.copy();
        next.database().setStatus(event, status);
        steps.add(next, () -> "the publisher of " + bounds.name(event) + " " + what);
    }

    private static State ended(State state, int event, EventStatus status) {
        State next = state.copy();
        end(next.database(), event, status);
        return next;
    }

    /** Ends a publisher's transaction. No window waits for it any more. */
    static void end(Database database, int event, EventStatus status) {
        database.setStatus(event, status);
        for (Field writers :
                new Field[] {Field.BEFORE_HORIZON, Field.BEFORE_NEXT_HORIZON, Field.BEFORE_NEXT_SAFE_HORIZON}) {
            database.set(writers, database.get(writers) & ~(1 << event));
        }
    }

    private boolean hasCounter(State state, int event) {
        int previous = previous(event);
        EventStatus status =
                previous < 0 ? EventStatus.ROLLED_BACK : state.database().status(previous);
        return status == EventStatus.ROLLED_BACK || status == EventStatus.PENDING || status == EventStatus.DISPATCHED;
    }

    private int previous(int event) {
        int previous = event - 1;
        while (previous >= 0 && !bounds.precedes(previous, event)) {
            previous--;
        }
        return previous;
    }
}
