package dev.outbox.chaos.check;

import dev.outbox.chaos.history.EventHistory;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What a history shows.
 *
 * @param ok committed events that are stored
 * @param recovered stored events whose commit was left open
 * @param absent events that were rolled back, or whose commit was left open and failed
 * @param lost committed events that are gone
 * @param lostByContract committed events that a standby or a backup did not have yet
 * @param givenUp committed events whose records Kafka lost, and which an operator gave up
 * @param unexpected events that were not committed and left a trace
 * @param scheduled what became of scheduled events
 * @param duplicated further successes of a handler with an event
 * @param dead deliveries that are dead
 * @param executions executions of handlers
 * @param faults faults of the nemesis
 * @param notChecked what the run did not record
 * @param violations what breaks a rule
 */
public record Report(
        long ok,
        long recovered,
        long absent,
        long lost,
        long lostByContract,
        long givenUp,
        long unexpected,
        Scheduled scheduled,
        long duplicated,
        long dead,
        long executions,
        long faults,
        List<String> notChecked,
        List<Violation> violations) {

    private static final int SHOWN = 10;

    /** Committed scheduled events that moved to the queue, that were replaced or cancelled before, and that are not due yet. */
    public record Scheduled(long moved, long replaced, long cancelled, long waiting) {

        static final Scheduled NONE = new Scheduled(0, 0, 0, 0);

        Scheduled with(EventHistory event, Fate fate) {
            if (event.due() != null && fate == Fate.WITHDRAWN) {
                boolean isReplaced = event.withdrawals().stream().anyMatch((one) -> one.replacement() != null);
                return isReplaced
                        ? new Scheduled(moved, replaced + 1, cancelled, waiting)
                        : new Scheduled(moved, replaced, cancelled + 1, waiting);
            }
            if (event.due() != null && fate.isStored()) {
                return event.survived()
                        ? new Scheduled(moved + 1, replaced, cancelled, waiting)
                        : new Scheduled(moved, replaced, cancelled, waiting + 1);
            }
            return this;
        }
    }

    /** Copies the lists. */
    public Report {
        notChecked = List.copyOf(notChecked);
        violations = List.copyOf(violations);
    }

    /** Returns whether no rule is broken. */
    public boolean isClean() {
        return violations.isEmpty();
    }

    /** Returns the counts, and the first violations of each rule. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder("""
                events      ok %d, recovered %d, absent %d, lost %d, lost by contract %d, given up %d, unexpected %d
                scheduled   moved %d, replaced %d, cancelled %d, waiting %d
                deliveries  executions %d, duplicated %d, dead %d
                faults      %d
                violations  %d
                """.formatted(
                        ok,
                        recovered,
                        absent,
                        lost,
                        lostByContract,
                        givenUp,
                        unexpected,
                        scheduled.moved(),
                        scheduled.replaced(),
                        scheduled.cancelled(),
                        scheduled.waiting(),
                        executions,
                        duplicated,
                        dead,
                        faults,
                        violations.size()));
        notChecked.forEach(
                (missing) -> text.append("not checked ").append(missing).append('\n'));
        Map<String, List<Violation>> byRule =
                violations.stream().collect(Collectors.groupingBy(Violation::rule, TreeMap::new, Collectors.toList()));
        byRule.forEach((rule, broken) -> {
            text.append(rule).append(" is broken ").append(broken.size()).append(" times\n");
            broken.stream()
                    .limit(SHOWN)
                    .forEach((one) -> text.append("  ").append(one).append('\n'));
        });
        return text.toString();
    }
}
