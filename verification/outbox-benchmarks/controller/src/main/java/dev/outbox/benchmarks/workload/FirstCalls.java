package dev.outbox.benchmarks.workload;

import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.worker.Journal.Entry;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Begin of the first successful call for each event, by the event's number. */
public record FirstCalls(Map<Integer, Long> begun) {

    /** Reads the calls of a process. */
    public static FirstCalls of(WorkerProcess worker) throws IOException {
        return of(worker.handled().entries());
    }

    /** Takes the earliest of the calls for each event. */
    public static FirstCalls of(List<Entry> calls) {
        Map<Integer, Long> begun = new HashMap<>();
        for (Entry call : calls) {
            begun.merge(call.number(), call.begun(), Math::min);
        }
        return new FirstCalls(begun);
    }

    /** Returns the times since the commits of those events that have been handled. */
    public Percentiles sinceCommit(List<Entry> committed) {
        return new Percentiles(committed.stream()
                .filter((event) -> begun.containsKey(event.number()))
                .mapToLong((event) -> sinceCommit(event, 0)));
    }

    /** Returns the times since the commits, where an event that has not been handled has waited until now. */
    public Percentiles sinceCommit(List<Entry> committed, long now) {
        return new Percentiles(committed.stream().mapToLong((event) -> sinceCommit(event, now)));
    }

    /** A call may begin before the commit returns to the publisher. */
    private long sinceCommit(Entry event, long otherwise) {
        return Math.max(0, begun.getOrDefault(event.number(), otherwise) - event.ended());
    }

    /** Returns the times since those events that have been handled were due. */
    public Percentiles sinceDue(List<Entry> committed) {
        return new Percentiles(committed.stream()
                .filter((event) -> begun.containsKey(event.number()))
                .mapToLong((event) -> begun.getOrDefault(event.number(), 0L) - event.begun()));
    }
}
