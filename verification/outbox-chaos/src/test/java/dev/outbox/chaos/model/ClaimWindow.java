package dev.outbox.chaos.model;

import dev.outbox.chaos.model.Database.Field;
import dev.outbox.chaos.model.Worker.Work;

/**
 * The part of the queue where claims look. It begins at the low-water mark, which may have passed over publishers that are
 * still running, or at the safe mark when one of these has ended.
 */
record ClaimWindow(Protocol protocol, Bounds bounds) implements Role {

    private static final int NOTHING = Byte.MAX_VALUE;

    /** The event id where a claim starts. */
    int start(Database database) {
        boolean sameWriters = Integer.bitCount(database.get(Field.BEFORE_HORIZON)) == database.get(Field.OPEN_WRITERS);
        return database.get(sameWriters || !protocol.has(Rule.SAFE_MARK) ? Field.LOW_WATER_MARK : Field.SAFE_MARK);
    }

    @Override
    public void addSteps(State state, Steps steps) {
        for (int number = 0; number < bounds.workers() && bounds.publishing(); number++) {
            if (state.worker(number).isIdle()) {
                begin(state, number, steps);
            } else if (state.worker(number).work() == Work.ADVANCING) {
                advance(state, number, steps);
            }
        }
    }

    /** Reads one of the last event id and the running publishers; the other one is read later, under the lock of the stream. */
    private void begin(State state, int number, Steps steps) {
        State next = state.copy();
        boolean lastIdFirst = protocol.has(Rule.LAST_ID_BEFORE_HORIZON);
        int read = lastIdFirst ? state.database().get(Field.LAST_ID) : running(state.database());
        next.worker(number).begin(Work.ADVANCING, read);
        steps.add(
                next,
                () -> next.worker(number).name() + " reads "
                        + (lastIdFirst
                                ? "the last event id, " + read
                                : "the horizon; before it are running: " + bounds.names(read)));
    }

    private void advance(State state, int number, Steps steps) {
        State next = state.copy();
        int read = next.worker(number).events();
        next.worker(number).clear();
        Database database = next.database();
        boolean lastIdFirst = protocol.has(Rule.LAST_ID_BEFORE_HORIZON);
        int lastId = lastIdFirst ? read : database.get(Field.LAST_ID);
        int writers = lastIdFirst ? running(database) : read & running(database);
        advance(database, lastId, protocol.has(Rule.WINDOW_WAITS_FOR_WRITERS) ? writers : 0);
        steps.add(
                next,
                () -> "%s advances the window: low-water mark %d, safe mark %d, next mark %d"
                        .formatted(
                                next.worker(number).name(),
                                database.get(Field.LOW_WATER_MARK),
                                database.get(Field.SAFE_MARK),
                                database.get(Field.NEXT_MARK)));
    }

    private void advance(Database database, int lastId, int writers) {
        int first = firstPending(database, start(database));
        int open = database.get(Field.BEFORE_NEXT_HORIZON);
        int mark = Math.min(first, database.get(Field.NEXT_MARK) + 1);
        if (open == 0) {
            database.set(Field.SAFE_MARK, mark);
            database.set(Field.NEXT_SAFE_MARK, lastId);
            database.set(Field.BEFORE_NEXT_SAFE_HORIZON, writers);
        } else if (database.get(Field.BEFORE_NEXT_SAFE_HORIZON) == 0) {
            database.set(Field.SAFE_MARK, Math.min(first, database.get(Field.NEXT_SAFE_MARK) + 1));
            database.set(Field.NEXT_SAFE_MARK, database.get(Field.NEXT_MARK));
            database.set(Field.BEFORE_NEXT_SAFE_HORIZON, open);
        } else {
            database.set(Field.SAFE_MARK, Math.min(first, database.get(Field.SAFE_MARK)));
        }
        database.set(Field.LOW_WATER_MARK, mark);
        database.set(Field.OPEN_WRITERS, Integer.bitCount(open));
        database.set(Field.BEFORE_HORIZON, open);
        database.set(Field.BEFORE_NEXT_HORIZON, writers);
        database.set(Field.NEXT_MARK, lastId);
    }

    /** The transactions that have an id: all of them are smaller than that of the claim. */
    private int running(Database database) {
        int running = 0;
        for (int event = 0; event < bounds.eventCount(); event++) {
            running |= database.isRunning(event) ? 1 << event : 0;
        }
        return running;
    }

    private int firstPending(Database database, int start) {
        int first = NOTHING;
        for (int event = 0; event < bounds.eventCount(); event++) {
            if (database.isPending(event) && database.id(event) >= start) {
                first = Math.min(first, database.id(event));
            }
        }
        return first;
    }
}
