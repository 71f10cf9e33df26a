package dev.outbox.chaos.model;

import static java.util.Map.entry;

import java.util.Map;

/** Bounds that are small enough to visit every state. */
enum Scenario {
    /** Three workers, and any two faults. */
    FAULTS(new Bounds("ABAB", false, 3, 2, 3, false, false, 2, anyFault(), 2)),
    /** Publishers whose transactions overlap with each other and with claims, and any fault. */
    WINDOW(new Bounds("ABA", true, 1, 1, 3, false, false, 2, anyFault(), 1)),
    /** A lane of three deliveries, some of which end dead, are retried, skipped or replayed. */
    LANES(new Bounds("AAA", false, 2, 1, 3, false, false, 2, faultsOfLanes(), 4)),
    /** The same if a dead delivery blocks its lane. */
    BLOCKING(new Bounds("AAA", false, 2, 1, 3, false, true, 2, faultsOfLanes(), 4)),
    /** Outcomes that come later, of a batch with two lanes, and any two faults. */
    LATER(new Bounds("AAB", false, 2, 1, 3, true, false, 2, anyFault(), 2)),
    /** Three workers, and any three faults. */
    MORE_FAULTS(new Bounds("ABAB", false, 3, 2, 3, false, false, 2, anyFault(), 3)),
    /** Four publishers, and any fault. */
    MORE_PUBLISHERS(new Bounds("ABAB", true, 1, 1, 3, false, false, 2, anyFault(), 1)),
    /** Longer lanes, and any four faults. */
    MORE_FAILURES(new Bounds("AAAB", false, 2, 1, 3, false, false, 2, anyFault(), 4)),
    /** Later outcomes of a longer lane, and any three faults. */
    MORE_LATER(new Bounds("AAA", false, 2, 1, 3, true, false, 2, anyFault(), 3)),
    /** Later outcomes of two handlers, and any fault. */
    LATER_HANDLERS(new Bounds("AAB", false, 2, 2, 3, true, false, 2, anyFault(), 1));

    private final Bounds bounds;

    Scenario(Bounds bounds) {
        this.bounds = bounds;
    }

    Bounds bounds() {
        return bounds;
    }

    Explorer.Result explore(Protocol protocol) {
        long begun = System.nanoTime();
        Explorer.Result result = new Explorer(protocol, bounds).explore();
        System.out.printf(
                "model %s (%s): %,d states, %,d transitions, depth %d, %.1f s%n",
                this, bounds, result.states(), result.transitions(), result.depth(), (System.nanoTime() - begun) / 1e9);
        return result;
    }

    private static Map<Fault, Integer> anyFault() {
        return Map.ofEntries(
                entry(Fault.WORKER_CRASH, 2),
                entry(Fault.LEASE_EXPIRY, 2),
                entry(Fault.DATABASE_CRASH, 2),
                entry(Fault.HANDLER_FAILURE, 3),
                entry(Fault.ROLLBACK, 1),
                entry(Fault.LOST_ANSWER, 1),
                entry(Fault.STOP, 1),
                entry(Fault.ROW_LOCK, 1),
                entry(Fault.LANE_ROW_LOCK, 1),
                entry(Fault.OPERATOR_RETRY, 1),
                entry(Fault.OPERATOR_SKIP, 1),
                entry(Fault.REPLAY, 1));
    }

    private static Map<Fault, Integer> faultsOfLanes() {
        return Map.ofEntries(
                entry(Fault.HANDLER_FAILURE, 2),
                entry(Fault.OPERATOR_RETRY, 1),
                entry(Fault.OPERATOR_SKIP, 1),
                entry(Fault.REPLAY, 1),
                entry(Fault.WORKER_CRASH, 3),
                entry(Fault.LEASE_EXPIRY, 1),
                entry(Fault.LANE_ROW_LOCK, 1),
                entry(Fault.DATABASE_CRASH, 1));
    }
}
