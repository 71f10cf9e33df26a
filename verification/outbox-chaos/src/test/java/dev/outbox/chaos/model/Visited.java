package dev.outbox.chaos.model;

import java.util.Arrays;

/** The states that were found, by their fingerprints: each with a number, its predecessor, and the successor that brings it forward. */
final class Visited {

    private static final int NONE = -1;

    private long[] fingerprints = new long[1 << 12];
    private int[] predecessors = new int[1 << 12];
    private int[] successors = new int[1 << 12];
    private int[] table = new int[1 << 13];
    private int count;

    int count() {
        return count;
    }

    /** The number of a state; negative if it is new, in which case it is added. */
    int add(long fingerprint, int predecessor) {
        int slot = slot(fingerprint);
        if (table[slot] != 0) {
            return table[slot] - 1;
        }
        if (count == fingerprints.length) {
            grow();
            slot = slot(fingerprint);
        }
        fingerprints[count] = fingerprint;
        predecessors[count] = predecessor;
        successors[count] = NONE;
        table[slot] = ++count;
        return NONE;
    }

    private int slot(long fingerprint) {
        int mask = table.length - 1;
        int slot = (int) (fingerprint >>> 20) & mask;
        while (table[slot] != 0 && fingerprints[table[slot] - 1] != fingerprint) {
            slot = slot + 1 & mask;
        }
        return slot;
    }

    private void grow() {
        fingerprints = Arrays.copyOf(fingerprints, 2 * count);
        predecessors = Arrays.copyOf(predecessors, 2 * count);
        successors = Arrays.copyOf(successors, 2 * count);
        table = new int[4 * count];
        for (int state = 0; state < count; state++) {
            table[slot(fingerprints[state])] = state + 1;
        }
    }

    long fingerprint(int state) {
        return fingerprints[state];
    }

    int predecessor(int state) {
        return predecessors[state];
    }

    /** Notes which state comes next if nothing goes wrong; itself if it is complete. */
    void setSuccessor(int state, int successor) {
        successors[state] = successor;
    }

    /** The first state from which the successors do not lead to a complete one; -1 if there is none. */
    int incomplete() {
        int[] walks = new int[count];
        for (int state = 0; state < count; state++) {
            int at = state;
            while (at != NONE && walks[at] == 0) {
                walks[at] = state + 1;
                at = successors[at] == at ? NONE : successors[at];
            }
            if (at != NONE && walks[at] == state + 1) {
                return state;
            }
        }
        return NONE;
    }
}
