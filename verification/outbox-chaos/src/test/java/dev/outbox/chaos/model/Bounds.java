package dev.outbox.chaos.model;

import java.util.Map;
import java.util.TreeMap;

/**
 * What makes the state space finite.
 *
 * @param events the aggregates of the events in the order of their publishers, one letter each
 * @param publishing whether the publishers run concurrently with the workers; if not, all events are committed before
 * @param workers how many workers there are, at most 3
 * @param handlers how many handlers get each event, at most 2
 * @param batchSize how many events a claim takes at most
 * @param later whether the outcome of a handler comes later, while its worker goes on
 * @param blocking whether a dead delivery blocks its lane
 * @param attempts after how many failures a delivery is dead, from 2
 * @param faults how often each fault happens on a path at most
 * @param faultsInAll how many faults happen on a path at most
 */
record Bounds(
        String events,
        boolean publishing,
        int workers,
        int handlers,
        int batchSize,
        boolean later,
        boolean blocking,
        int attempts,
        Map<Fault, Integer> faults,
        int faultsInAll) {

    /** Checks that a state has room for them. */
    Bounds {
        if (events.isEmpty() || events.length() > State.EVENTS || !events.matches("[AB]+")) {
            throw new IllegalArgumentException("events must be 1 to 4 letters A or B: " + events);
        }
        if (workers < 1 || workers > State.WORKERS || handlers < 1 || handlers > State.HANDLERS || attempts < 2) {
            throw new IllegalArgumentException("at most 3 workers and 2 handlers, and at least 2 attempts");
        }
        faults = Map.copyOf(faults);
    }

    int eventCount() {
        return events.length();
    }

    int aggregate(int event) {
        return events.charAt(event) - 'A';
    }

    int lane(int event, int handler) {
        return aggregate(event) * State.HANDLERS + handler;
    }

    /** Whether two events belong to one aggregate, the first one with the smaller sequence number. */
    boolean precedes(int first, int second) {
        return first < second && aggregate(first) == aggregate(second);
    }

    /** The deliveries, as bits, that belong to a lane. */
    int ofLane(int deliveries, int lane) {
        int ofLane = 0;
        for (int event = 0; event < eventCount(); event++) {
            if (aggregate(event) == lane / State.HANDLERS) {
                ofLane |= deliveries & Properties.bit(event, lane % State.HANDLERS);
            }
        }
        return ofLane;
    }

    boolean allows(State state, Fault fault) {
        return state.faultsInAll() < faultsInAll && state.faults(fault) < faults.getOrDefault(fault, 0);
    }

    String name(int event) {
        long sequence = events.substring(0, event + 1)
                .chars()
                .filter((letter) -> letter == events.charAt(event))
                .count();
        return events.charAt(event) + Long.toString(sequence);
    }

    String names(int eventSet) {
        StringBuilder names = new StringBuilder();
        for (int event = 0; event < eventCount(); event++) {
            if ((eventSet >> event & 1) != 0) {
                names.append(names.isEmpty() ? "" : " ").append(name(event));
            }
        }
        return names.toString();
    }

    @Override
    public String toString() {
        return "events %s %s, %d workers, %d handlers, batches of %d, %s%s after %d failures, at most %d faults of %s"
                .formatted(
                        events,
                        publishing ? "published concurrently" : "published before",
                        workers,
                        handlers,
                        batchSize,
                        later ? "outcomes that come later, " : "",
                        blocking ? "blocking" : "dead",
                        attempts,
                        faultsInAll,
                        new TreeMap<>(faults));
    }
}
