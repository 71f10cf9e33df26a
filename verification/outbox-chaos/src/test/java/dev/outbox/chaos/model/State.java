package dev.outbox.chaos.model;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Everything that decides what can happen next: the database, what a crash would restore, and the memory of each worker. */
final class State {

    static final int EVENTS = 4;
    static final int HANDLERS = 2;
    static final int AGGREGATES = 2;
    static final int LANES = AGGREGATES * HANDLERS;
    static final int WORKERS = 3;

    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private static final int FLUSHED = Database.SIZE;
    private static final int MEMORY = FLUSHED + Database.SIZE;
    private static final int FAULTS = MEMORY + WORKERS * Worker.SIZE;
    private static final int CRASH_AHEAD = FAULTS + Fault.values().length;
    private static final int LOCKED_ROWS = CRASH_AHEAD + 1;
    private static final int LOCKED_LANES = LOCKED_ROWS + 1;
    private static final int HANDLED = LOCKED_LANES + 1;
    private static final int ABANDONED = HANDLED + 1;
    private static final int SIZE = (ABANDONED + 8) / 8 * 8;

    private final byte[] bytes;
    private final Database database;
    private final Worker[] workers = new Worker[WORKERS];
    private @Nullable Property violated;

    State() {
        this(new byte[SIZE]);
    }

    private State(byte[] bytes) {
        this.bytes = bytes;
        this.database = new Database(bytes, 0);
        for (int number = 0; number < WORKERS; number++) {
            workers[number] = new Worker(bytes, MEMORY + number * Worker.SIZE, number);
        }
    }

    State copy() {
        return new State(bytes.clone());
    }

    Database database() {
        return database;
    }

    Worker worker(int number) {
        return workers[number];
    }

    int faults(Fault fault) {
        return bytes[FAULTS + fault.ordinal()];
    }

    int faultsInAll() {
        int all = 0;
        for (int fault = 0; fault < Fault.values().length; fault++) {
            all += bytes[FAULTS + fault];
        }
        return all;
    }

    void count(Fault fault) {
        bytes[FAULTS + fault.ordinal()]++;
    }

    /** Whether the database is going to crash before it flushes anything more. */
    boolean isCrashAhead() {
        return bytes[CRASH_AHEAD] != 0;
    }

    /** From now on nothing is flushed: the next crash restores the database as it is now. */
    void stopFlushing() {
        bytes[CRASH_AHEAD] = 1;
        System.arraycopy(bytes, 0, bytes, FLUSHED, Database.SIZE);
    }

    /** Restores what was flushed. */
    void restore() {
        bytes[CRASH_AHEAD] = 0;
        bytes[LOCKED_ROWS] = 0;
        bytes[LOCKED_LANES] = 0;
        System.arraycopy(bytes, FLUSHED, bytes, 0, Database.SIZE);
        Arrays.fill(bytes, FLUSHED, FLUSHED + Database.SIZE, (byte) 0);
    }

    /** The events whose rows another session holds locked. */
    int lockedRows() {
        return bytes[LOCKED_ROWS];
    }

    void setLockedRows(int eventSet) {
        bytes[LOCKED_ROWS] = (byte) eventSet;
    }

    /** The lanes whose rows another session holds locked, such as one that adds deliveries to them. */
    int lockedLanes() {
        return bytes[LOCKED_LANES];
    }

    boolean isLaneLocked(int lane) {
        return (lockedLanes() >> lane & 1) != 0;
    }

    void setLockedLanes(int laneSet) {
        bytes[LOCKED_LANES] = (byte) laneSet;
    }

    /** The deliveries, as bits, that have succeeded or died, also if the database has forgotten it. Noted if outcomes come later. */
    int handled() {
        return bytes[HANDLED] & 0xFF;
    }

    void noteHandled(int event, int handler) {
        bytes[HANDLED] |= (byte) Properties.bit(event, handler);
    }

    /** The deliveries, as bits, whose handlers may go on with them, although the worker that handed them out has lost or given them back. */
    int abandoned() {
        return bytes[ABANDONED] & 0xFF;
    }

    void setAbandoned(int deliveries) {
        bytes[ABANDONED] = (byte) deliveries;
    }

    /** Lets a worker forget its claim. What the database has of it is an orphan then, which nothing but its expiry ends. */
    void forget(Worker worker) {
        worker.clear();
        database.orphan(worker.token());
        if (isCrashAhead()) {
            flushed().orphan(worker.token());
        }
    }

    void violate(Property property) {
        if (violated == null) {
            violated = property;
        }
    }

    /** The property that the step to this state has violated. */
    @Nullable
    Property violated() {
        return violated;
    }

    /** The form that states have in common if they differ only in the names of workers, or in the order of rows. */
    State canonical() {
        database.sortClaims();
        flushed().sortClaims();
        if (workers[0].compareTo(workers[1]) >= 0 && workers[1].compareTo(workers[2]) >= 0) {
            return this;
        }
        int[] order = {0, 1, 2};
        sort(order);
        State result = copy();
        int[] tokens = new int[WORKERS + 1];
        for (int place = 0; place < WORKERS; place++) {
            int from = MEMORY + order[place] * Worker.SIZE;
            System.arraycopy(bytes, from, result.bytes, MEMORY + place * Worker.SIZE, Worker.SIZE);
            tokens[order[place] + 1] = place + 1;
        }
        result.database.rename(tokens);
        result.flushed().rename(tokens);
        return result;
    }

    private Database flushed() {
        return new Database(bytes, FLUSHED);
    }

    private void sort(int[] order) {
        for (int i = 1; i < WORKERS; i++) {
            for (int j = i; j > 0 && workers[order[j - 1]].compareTo(workers[order[j]]) < 0; j--) {
                int swapped = order[j];
                order[j] = order[j - 1];
                order[j - 1] = swapped;
            }
        }
    }

    /** A hash of 64 bits. Two of ten million states have the same one with a probability of 3 in a million. */
    long fingerprint() {
        long hash = 0x9E3779B97F4A7C15L;
        for (int at = 0; at < SIZE; at += Long.BYTES) {
            long word = (long) LONGS.get(bytes, at);
            hash = (hash ^ word) * 0xFF51AFD7ED558CCDL;
            hash ^= hash >>> 32;
        }
        hash *= 0xC4CEB9FE1A85EC53L;
        hash ^= hash >>> 29;
        return hash == 0 ? 1 : hash;
    }
}
