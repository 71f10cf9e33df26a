package dev.outbox.chaos.run;

import dev.outbox.chaos.history.Aggregate;
import dev.outbox.chaos.history.Fact;
import dev.outbox.chaos.history.Fact.Commit;
import dev.outbox.chaos.history.Fact.Completed;
import dev.outbox.chaos.history.Fact.Ended;
import dev.outbox.chaos.history.Fact.Fault;
import dev.outbox.chaos.history.Fact.Intended;
import dev.outbox.chaos.history.Fact.IntendedEvent;
import dev.outbox.chaos.history.Fact.Kind;
import dev.outbox.chaos.history.Fact.Outcome;
import dev.outbox.chaos.history.Fact.Phase;
import dev.outbox.chaos.history.Fact.Started;
import dev.outbox.chaos.history.Fact.Subscribed;
import dev.outbox.chaos.history.FactReader;
import dev.outbox.chaos.history.Faults;
import dev.outbox.chaos.history.Faults.Window;
import dev.outbox.chaos.nemesis.NetworkFaults;
import dev.outbox.chaos.process.WorkerHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Times until delivery resumes after a fault. A time counts only if no other fault overlaps it; a process that stood still because the
 * machine was busy is such a fault.
 *
 * @param afterKill from a SIGKILL to the next start of each execution that it cut short; from the registration of the handler, if no
 *     process that had it survived
 * @param retries from the time when a retry of a payment is due to its start, also beside a backlog
 * @param besideOpenTransaction for each worker that was cut off in a transaction, the longest time from the commit of an event of another
 *     aggregate to the start of its first execution; events whose own handlers take seconds are left out
 */
public record Measures(Delays afterKill, Delays retries, Delays besideOpenTransaction) {

    /** Reads the facts of a run. */
    public static Measures of(Path directory, Faults faults) {
        List<Fact> facts = new ArrayList<>();
        FactReader.files(directory).forEach((file) -> facts.addAll(FactReader.read(file)));
        return new Calculation(facts, faults).measures();
    }

    /** Delivery of an event to a handler. */
    private record Delivery(UUID eventId, String handler) {}

    /** Attempt of a delivery by a process. */
    private record Execution(String process, Delivery delivery, int attempt) {}

    /** The facts of a run, by what they are asked for. */
    private static final class Calculation {

        private final Map<Delivery, List<Started>> starts = new HashMap<>();
        private final Map<UUID, Long> firstStarts = new HashMap<>();
        private final Map<String, List<Started>> byProcess = new HashMap<>();
        private final List<Subscribed> subscriptions = new ArrayList<>();
        private final Map<Execution, Ended> ends = new HashMap<>();
        private final Map<String, List<IntendedEvent>> transactions = new HashMap<>();
        private final Map<String, Long> commits = new HashMap<>();
        private final List<Fault> faultFacts = new ArrayList<>();
        private final Faults faults;

        Calculation(List<Fact> facts, Faults faults) {
            this.faults = faults;
            for (Fact fact : facts) {
                if (fact instanceof Started started) {
                    starts.computeIfAbsent(delivery(started), (key) -> new ArrayList<>())
                            .add(started);
                    firstStarts.merge(started.eventId(), started.at(), Math::min);
                    byProcess
                            .computeIfAbsent(started.process(), (key) -> new ArrayList<>())
                            .add(started);
                } else if (fact instanceof Ended end) {
                    ends.put(
                            new Execution(end.process(), new Delivery(end.eventId(), end.handler()), end.attempt()),
                            end);
                } else if (fact instanceof Subscribed subscribed) {
                    subscriptions.add(subscribed);
                } else if (fact instanceof Fault fault) {
                    faultFacts.add(fault);
                } else if (fact instanceof Intended intended) {
                    transactions.put(intended.transaction(), intended.events());
                } else if (fact instanceof Completed completed && completed.outcome() == Commit.COMMITTED) {
                    commits.put(completed.transaction(), completed.at());
                }
            }
            starts.values().forEach((list) -> list.sort(Comparator.comparingLong(Started::at)));
        }

        Measures measures() {
            List<Long> afterKill = new ArrayList<>();
            List<Long> besideOpenTransaction = new ArrayList<>();
            for (Fault fault : faultFacts) {
                if (fault.kind() == Kind.KILL && fault.phase() == Phase.BEGUN) {
                    afterKill(fault, afterKill);
                } else if (fault.note().equals(NetworkFaults.HELD) && fault.phase() == Phase.BEGUN) {
                    longestDelayDuring(fault).ifPresent(besideOpenTransaction::add);
                }
            }
            return new Measures(Delays.of(afterKill), Delays.of(retries()), Delays.of(besideOpenTransaction));
        }

        /** Finds the redeliveries of what the process had not settled: what it had no time to end, or to write. */
        private void afterKill(Fault fault, List<Long> delays) {
            for (Started started : byProcess.getOrDefault(fault.target(), List.of())) {
                Ended end = ends.get(new Execution(started.process(), delivery(started), started.attempt()));
                Started next = next(delivery(started), fault.at());
                if ((end == null || end.outcome() == Outcome.SUCCEEDED)
                        && next != null
                        && !next.replayed()
                        && isQuiet(fault.at(), next.at(), (window) -> isOf(window, fault))) {
                    delays.add(Math.max(0, next.at() - Math.max(fault.at(), available(started.handler(), fault))));
                }
            }
        }

        /** Returns when a process with the handler was there: at once if one survived the fault, else when the next one had started. */
        private long available(String handler, Fault fault) {
            return subscriptions.stream()
                    .filter((own) ->
                            own.handler().equals(handler) || own.aliases().contains(handler))
                    .filter((own) -> !own.process().equals(fault.target()))
                    .filter((own) -> faults.deathOf(own.process()) > fault.at())
                    .mapToLong(Subscribed::at)
                    .min()
                    .orElse(fault.at());
        }

        private List<Long> retries() {
            List<Long> late = new ArrayList<>();
            ends.forEach((execution, end) -> {
                Started next = next(execution.delivery(), end.at());
                if (end.outcome() == Outcome.FAILED
                        && next != null
                        && next.attempt() == end.attempt() + 1
                        && next.aggregateType().equals(WorkerHandlers.STORMY)
                        && isQuiet(end.at(), next.at(), (window) -> window.kind() == Kind.RETRY_STORM)) {
                    Duration delay = WorkerHandlers.delayAfter(end.attempt());
                    late.add(Math.max(0, next.at() - end.at() - delay.toNanos()));
                }
            });
            return late;
        }

        /** Leaves out the aggregates that the process was working on, and the stream that waits for its own handlers. */
        private OptionalLong longestDelayDuring(Fault cut) {
            long until = faultFacts.stream()
                    .filter((fault) ->
                            fault.phase() == Phase.ENDED && fault.note().equals(cut.note()) && fault.at() > cut.at())
                    .mapToLong(Fault::at)
                    .min()
                    .orElse(Long.MAX_VALUE);
            Set<Aggregate> held = new HashSet<>();
            for (Started started : byProcess.getOrDefault(cut.target(), List.of())) {
                Ended end = ends.get(new Execution(started.process(), delivery(started), started.attempt()));
                if (started.at() <= cut.at() && (end == null || end.at() > cut.at())) {
                    held.add(new Aggregate(started.aggregateType(), started.aggregateId()));
                }
            }
            if (held.isEmpty()) {
                // The successor of a killed worker, which was in no transaction.
                return OptionalLong.empty();
            }
            List<Long> delays = new ArrayList<>();
            commits.forEach((transaction, at) -> {
                if (at > cut.at() && at < until) {
                    for (IntendedEvent event : transactions.getOrDefault(transaction, List.of())) {
                        Long start = firstStarts.get(event.eventId());
                        if (start != null
                                && !event.eventType().equals(WorkerHandlers.LENGTHY)
                                && !held.contains(new Aggregate(event.aggregateType(), event.aggregateId()))
                                && isQuiet(
                                        at,
                                        start,
                                        (window) ->
                                                window.target().equals(cut.target()) || window.begun() == cut.at())) {
                            delays.add(start - at);
                        }
                    }
                }
            });
            return delays.stream().mapToLong(Long::longValue).max();
        }

        private @Nullable Started next(Delivery delivery, long after) {
            return starts.getOrDefault(delivery, List.of()).stream()
                    .filter((started) -> started.at() > after)
                    .findFirst()
                    .orElse(null);
        }

        private boolean isQuiet(long from, long to, Predicate<Window> own) {
            return faults.matching((window) -> window.overlaps(from, to)).allMatch(own);
        }

        private static boolean isOf(Window window, Fault fault) {
            return window.kind() == fault.kind() && window.target().equals(fault.target());
        }

        private static Delivery delivery(Started started) {
            return new Delivery(started.eventId(), started.handler());
        }
    }
}
