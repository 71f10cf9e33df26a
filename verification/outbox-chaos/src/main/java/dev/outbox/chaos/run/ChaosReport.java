package dev.outbox.chaos.run;

import dev.outbox.chaos.check.Report;
import dev.outbox.chaos.fleet.Fleet;
import dev.outbox.chaos.nemesis.FaultType;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Result of a run.
 *
 * @param seed the seed
 * @param history what the checker found
 * @param faults how often each fault happened
 * @param measures how long delivery took to resume
 * @param drained how long the backlog took to drain when the faults were over
 * @param deaths how many processes ended unexpectedly
 */
public record ChaosReport(
        long seed, Report history, Map<FaultType, Integer> faults, Measures measures, Duration drained, int deaths) {

    private static final Duration TAKEOVER = Fleet.LEASE.plus(Fleet.LONGEST_POLL.multipliedBy(2));
    private static final Duration RETRY = Duration.ofSeconds(2);

    public ChaosReport {
        faults = new EnumMap<>(faults);
    }

    /** Events whose commit was confirmed, or found afterwards. */
    public long committed() {
        return history.ok() + history.recovered() + history.lostByContract() + history.lost();
    }

    /** How often any of these faults happened. */
    public int count(Set<FaultType> types) {
        return types.stream().mapToInt((type) -> faults.getOrDefault(type, 0)).sum();
    }

    /** Returns the times that are beyond so many times their bounds. */
    public List<String> brokenBounds(int times) {
        return bounds().stream()
                .filter((bound) -> !bound.delays().isWithin(bound.longest().multipliedBy(times)))
                .map(Bound::toString)
                .toList();
    }

    private List<Bound> bounds() {
        return List.of(
                new Bound("redelivery after SIGKILL", measures.afterKill(), TAKEOVER),
                new Bound("retry beside a backlog", measures.retries(), RETRY),
                new Bound("delivery beside a cut-off transaction", measures.besideOpenTransaction(), TAKEOVER));
    }

    private record Bound(String name, Delays delays, Duration longest) {

        @Override
        public String toString() {
            return "%-37s %s".formatted(name, delays.against(longest));
        }
    }

    /** The report as a table. */
    @Override
    public String toString() {
        StringBuilder table = new StringBuilder("Chaos run with seed " + seed + "\n" + history);
        faults.forEach((type, count) -> row(table, type.name(), String.valueOf(count)));
        bounds().forEach((bound) -> table.append(bound).append('\n'));
        row(table, "backlog drained", drained.toMillis() + " ms");
        row(table, "unexpected ends", String.valueOf(deaths));
        return table.toString();
    }

    private static void row(StringBuilder table, String name, String value) {
        table.append("%-37s %s%n".formatted(name, value));
    }
}
