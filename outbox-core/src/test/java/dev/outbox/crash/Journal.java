package dev.outbox.crash;

import dev.outbox.EventEnvelope;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;

/** Every handler call with its times, and every crash of the database; says what at-least-once delivery in order forbids. */
final class Journal {

    private final ConcurrentLinkedQueue<Call> calls = new ConcurrentLinkedQueue<>();
    private final List<Crash> crashes = new ArrayList<>();

    /** A crash: from the signal to the first accepted connection no transaction commits. */
    private record Crash(long from, long until) {

        /** Whether a call had started before a new owner could exist, and had not ended before the crash. */
        boolean caught(Call call) {
            return call.from < until && call.until > from;
        }
    }

    /** A handler call; it has succeeded or failed when it has ended. */
    static final class Call {

        private final String worker;
        private final String lane;
        private final long sequence;
        private final long from = System.nanoTime();
        private volatile long until = Long.MAX_VALUE;
        private volatile boolean succeeded;

        private Call(String worker, String handlerId, EventEnvelope envelope) {
            this.worker = worker;
            this.lane = handlerId + " " + envelope.aggregateId();
            this.sequence = envelope.sequence();
        }

        void succeeded() {
            succeeded = true;
        }

        void ended() {
            until = System.nanoTime();
        }

        boolean overlaps(Call later) {
            return later.from < until;
        }

        @Override
        public String toString() {
            return lane + "#" + sequence + " of " + worker + (succeeded ? "" : " (failed)") + " from "
                    + from / 1_000_000 + " ms until " + (until == Long.MAX_VALUE ? "now" : until / 1_000_000 + " ms");
        }
    }

    Call begin(String worker, String handlerId, EventEnvelope envelope) {
        Call call = new Call(worker, handlerId, envelope);
        calls.add(call);
        return call;
    }

    synchronized void crashed(long from, long until) {
        crashes.add(new Crash(from, until));
    }

    int size() {
        return calls.size();
    }

    /** How many calls ran when the database crashed. */
    synchronized long caught() {
        return calls.stream()
                .filter((call) -> crashes.stream().anyMatch((crash) -> crash.caught(call)))
                .count();
    }

    /** Calls that ran beside another one of their lane; each was caught in a crash, or {@link #violations()} names it. */
    long overlapping() {
        return lanes().values().stream().mapToLong(Journal::overlapping).sum();
    }

    private static long overlapping(List<Call> lane) {
        return lane.stream()
                .filter((call) -> lane.stream().anyMatch((other) -> other.from > call.from && call.overlaps(other)))
                .count();
    }

    List<String> violations() {
        List<String> violations = new ArrayList<>();
        lanes().values().forEach((lane) -> check(lane, violations));
        return violations;
    }

    /** The sequences that a handler has handled of an aggregate, each once. */
    Map<String, List<Long>> handled() {
        Map<String, List<Long>> handled = new TreeMap<>();
        lanes().forEach((lane, calls) -> handled.put(
                lane,
                calls.stream()
                        .filter((call) -> call.succeeded)
                        .map((call) -> call.sequence)
                        .distinct()
                        .sorted()
                        .toList()));
        return handled;
    }

    private Map<String, List<Call>> lanes() {
        return calls.stream()
                .sorted(Comparator.comparingLong((call) -> call.from))
                .collect(Collectors.groupingBy((call) -> call.lane, TreeMap::new, Collectors.toList()));
    }

    private void check(List<Call> lane, List<String> violations) {
        Map<Long, Call> lastSuccess = new TreeMap<>();
        for (int i = 0; i < lane.size(); i++) {
            Call call = lane.get(i);
            boolean first = lane.stream()
                    .noneMatch((other) ->
                            other.sequence == call.sequence - 1 && other.succeeded && other.until <= call.from);
            if (call.sequence > 1 && first) {
                violations.add("started before its predecessor had succeeded: " + call);
            }
            for (Call earlier : lane.subList(0, i)) {
                if (earlier.overlaps(call) && !separates(earlier, call)) {
                    violations.add("ran beside a later call: " + earlier + ", and " + call);
                }
                if (earlier.succeeded && earlier.sequence >= call.sequence && !separates(earlier, call)) {
                    violations.add("repeated without a crash: " + earlier + ", and " + call);
                }
            }
            if (call.succeeded) {
                lastSuccess.put(call.sequence, call);
            }
        }
        Call before = null;
        for (Call call : lastSuccess.values()) {
            if (before != null && before.from > call.from) {
                violations.add("settled after its successor: " + before + ", and " + call);
            }
            before = call;
        }
    }

    /** Whether a crash lies between two calls: it may have lost the settlement, or caught the first one at work. */
    private synchronized boolean separates(Call earlier, Call later) {
        return crashes.stream().anyMatch((crash) -> earlier.from < crash.until && later.from > crash.from);
    }
}
