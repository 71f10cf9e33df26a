package dev.outbox.chaos.run;

import dev.outbox.chaos.fleet.Fleet;
import dev.outbox.chaos.history.Fact;
import dev.outbox.chaos.history.Fact.Ended;
import dev.outbox.chaos.history.Fact.Fault;
import dev.outbox.chaos.history.Fact.Kind;
import dev.outbox.chaos.history.Fact.Outcome;
import dev.outbox.chaos.history.Fact.Phase;
import dev.outbox.chaos.history.Fact.Started;
import dev.outbox.chaos.history.Fact.Subscribed;
import dev.outbox.chaos.history.FactReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Times until delivery resumes after a fault.
 *
 * @param afterKill from a SIGKILL to the next start of each execution that it cut short
 * @param afterStop from a stop in order to the next start of each execution that it interrupted
 * @param afterOutage from the return of the database to the next start of any execution
 */
public record Measures(Delays afterKill, Delays afterStop, Delays afterOutage) {

    private static final Set<Kind> OUTAGES =
            EnumSet.of(Kind.DATABASE_CRASH, Kind.FAILOVER_ASYNC, Kind.FAILOVER_SYNC, Kind.RESTORE);

    /** Reads the facts of a run. */
    public static Measures of(Path directory) {
        List<Fact> facts = new ArrayList<>();
        FactReader.files(directory).forEach((file) -> facts.addAll(FactReader.read(file)));
        return new Calculation(facts).measures();
    }

    /** Delivery of an event to a handler. */
    private record Delivery(UUID eventId, String handler) {}

    /** Attempt of a delivery by a process. */
    private record Execution(String process, Delivery delivery, int attempt) {}

    /** The facts of a run, by what they are asked for. */
    private static final class Calculation {

        private final Map<Delivery, List<Started>> starts = new HashMap<>();
        private final TreeSet<Long> allStarts = new TreeSet<>();
        private final Map<String, List<Started>> byProcess = new HashMap<>();
        private final Map<Execution, Ended> ends = new HashMap<>();
        private final List<Fault> faults = new ArrayList<>();
        private final Map<String, Long> ready = new HashMap<>();

        Calculation(List<Fact> facts) {
            for (Fact fact : facts) {
                if (fact instanceof Started started) {
                    starts.computeIfAbsent(delivery(started), (key) -> new ArrayList<>())
                            .add(started);
                    allStarts.add(started.at());
                    byProcess
                            .computeIfAbsent(started.process(), (key) -> new ArrayList<>())
                            .add(started);
                } else if (fact instanceof Ended end) {
                    ends.put(
                            new Execution(end.process(), new Delivery(end.eventId(), end.handler()), end.attempt()),
                            end);
                } else if (fact instanceof Fault fault) {
                    faults.add(fault);
                } else if (fact instanceof Subscribed subscribed) {
                    ready.merge(subscribed.process(), subscribed.at(), Math::max);
                }
            }
            starts.values().forEach((list) -> list.sort(Comparator.comparingLong(Started::at)));
        }

        Measures measures() {
            List<Long> afterKill = new ArrayList<>();
            List<Long> afterStop = new ArrayList<>();
            List<Long> afterOutage = new ArrayList<>();
            for (Fault fault : faults) {
                if (fault.kind() == Kind.KILL && fault.phase() == Phase.BEGUN && hasSurvivor(fault)) {
                    afterEnd(fault, EnumSet.of(Outcome.SUCCEEDED), afterKill);
                } else if (fault.kind() == Kind.STOP && fault.phase() == Phase.BEGUN && hasSurvivor(fault)) {
                    afterEnd(fault, EnumSet.of(Outcome.INTERRUPTED), afterStop);
                } else if (OUTAGES.contains(fault.kind()) && fault.phase() == Phase.ENDED) {
                    Long start = allStarts.higher(fault.at());
                    if (start != null) {
                        afterOutage.add(start - fault.at());
                    }
                }
            }
            return new Measures(Delays.of(afterKill), Delays.of(afterStop), Delays.of(afterOutage));
        }

        /** Finds the redeliveries of what the process had not settled: what it had no time to end, or ended with an outcome. */
        private void afterEnd(Fault fault, Set<Outcome> outcomes, List<Long> delays) {
            for (Started started : byProcess.getOrDefault(fault.target(), List.of())) {
                Ended end = ends.get(new Execution(started.process(), delivery(started), started.attempt()));
                long from = end != null && outcomes.contains(Outcome.INTERRUPTED) ? end.at() : fault.at();
                Started next = next(delivery(started), from);
                if ((end == null || outcomes.contains(end.outcome()))
                        && from >= fault.at()
                        && next != null
                        && !next.replayed()
                        && !isDisturbed(started.at(), next.at())) {
                    delays.add(next.at() - from);
                }
            }
        }

        private @Nullable Started next(Delivery delivery, long after) {
            return starts.getOrDefault(delivery, List.of()).stream()
                    .filter((started) -> started.at() > after)
                    .findFirst()
                    .orElse(null);
        }

        /** Whether another worker is ready and stays undisturbed until it has taken over. */
        private boolean hasSurvivor(Fault end) {
            long until = end.at() + 2 * Fleet.LEASE.toNanos();
            return ready.entrySet().stream()
                    .filter((worker) -> worker.getValue() < end.at())
                    .filter((worker) -> !worker.getKey().equals(end.target()))
                    .anyMatch((worker) -> faults.stream()
                            .noneMatch((fault) -> fault.target().equals(worker.getKey())
                                    && fault.at() > worker.getValue()
                                    && (isEnd(fault)
                                            ? fault.at() < until
                                            : fault.at() > end.at() && fault.at() < until)));
        }

        private static boolean isEnd(Fault fault) {
            return fault.kind() == Kind.KILL || fault.kind() == Kind.STOP;
        }

        /** Whether the database was away or locked meanwhile. */
        private boolean isDisturbed(long from, long to) {
            return faults.stream()
                    .filter((fault) -> OUTAGES.contains(fault.kind()) || fault.kind() == Kind.LOCKS_HELD)
                    .anyMatch((fault) -> fault.at() > from && fault.at() < to);
        }

        private static Delivery delivery(Started started) {
            return new Delivery(started.eventId(), started.handler());
        }
    }
}
