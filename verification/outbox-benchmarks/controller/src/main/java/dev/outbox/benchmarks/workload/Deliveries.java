package dev.outbox.benchmarks.workload;

import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.worker.Journal.Entry;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Result of comparing handler calls with committed events.
 *
 * @param outOfOrder calls that began before an earlier event of the same account was handled
 * @param duplicates calls that repeated a successful one
 * @param missing committed events without a successful call
 * @param firstBegun the time when the first call began; 0 if there was none
 */
public record Deliveries(long outOfOrder, long duplicates, long missing, long firstBegun) {

    /** Compares the journals of processes. */
    public static Deliveries of(List<WorkerProcess> workers) throws IOException {
        List<Entry> committed = new ArrayList<>();
        List<Entry> handled = new ArrayList<>();
        for (WorkerProcess worker : workers) {
            committed.addAll(worker.committed().entries());
            handled.addAll(worker.handled().entries());
        }
        return of(committed, handled);
    }

    /** Compares entries of journals. */
    public static Deliveries of(List<Entry> committed, List<Entry> handled) {
        Collection<Entry> first = firstCalls(handled);
        Map<Integer, List<Entry>> lanes = new HashMap<>();
        first.forEach((call) ->
                lanes.computeIfAbsent(call.key(), (key) -> new ArrayList<>()).add(call));
        long outOfOrder =
                lanes.values().stream().mapToLong(Deliveries::outOfOrder).sum();
        return new Deliveries(
                outOfOrder,
                handled.size() - first.size(),
                committed.size() - first.size(),
                handled.stream().mapToLong(Entry::begun).min().orElse(0));
    }

    /** Returns the earliest successful call for each event. */
    private static Collection<Entry> firstCalls(List<Entry> handled) {
        Map<Integer, Entry> first = new HashMap<>(handled.size() * 2);
        for (Entry call : handled) {
            first.merge(call.number(), call, (one, other) -> one.ended() <= other.ended() ? one : other);
        }
        return first.values();
    }

    private static long outOfOrder(List<Entry> lane) {
        lane.sort(Comparator.comparingLong(Entry::seq));
        long earlierEnded = Long.MIN_VALUE;
        long found = 0;
        for (Entry call : lane) {
            if (call.begun() < earlierEnded) {
                found++;
            }
            earlierEnded = Math.max(earlierEnded, call.ended());
        }
        return found;
    }
}
