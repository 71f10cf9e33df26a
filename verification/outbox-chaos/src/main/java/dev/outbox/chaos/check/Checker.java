package dev.outbox.chaos.check;

import dev.outbox.chaos.history.EventHistory;
import dev.outbox.chaos.history.FinalState;
import dev.outbox.chaos.history.History;
import dev.outbox.chaos.history.StateChange;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Decides whether a history follows every rule. */
public final class Checker {

    private final List<Rule> rules;

    /** Creates a checker of runs with this configuration. */
    public Checker(CheckSettings settings) {
        this.rules = List.of(
                new NothingLost(),
                new NothingUnexpected(),
                new BusinessRowsMatch(),
                new InOrder(),
                new SequencesGapless(),
                new OneAtATime(settings),
                new Fenced(),
                new LegalTransitions(),
                new DeathsJustified(settings),
                new RepeatsExplained(settings),
                new BacklogEmpty(settings),
                new StartedInTime(settings),
                new PayloadsEqual(),
                new BookedOnce(),
                new ScheduleKept(settings));
    }

    /** Checks a history. */
    public Report check(History history) {
        Map<Fate, Long> fates = new EnumMap<>(Fate.class);
        long duplicated = 0;
        long executions = 0;
        Report.Scheduled scheduled = Report.Scheduled.NONE;
        for (EventHistory event : history.events()) {
            Fate fate = Fate.of(event, history);
            fates.merge(fate, 1L, Long::sum);
            scheduled = scheduled.with(event, fate);
            duplicated += RepeatsExplained.count(event);
            executions += event.executions().size();
        }
        List<Violation> violations = new ArrayList<>();
        rules.forEach((rule) -> violations.addAll(Violations.of(rule, history)));
        return new Report(
                fates.getOrDefault(Fate.OK, 0L),
                fates.getOrDefault(Fate.RECOVERED, 0L),
                fates.getOrDefault(Fate.ABSENT, 0L),
                fates.getOrDefault(Fate.LOST, 0L),
                fates.getOrDefault(Fate.LOST_BY_CONTRACT, 0L),
                fates.getOrDefault(Fate.GIVEN_UP, 0L),
                fates.getOrDefault(Fate.UNEXPECTED, 0L),
                scheduled,
                duplicated,
                history.state().deliveries().stream()
                        .filter((row) -> StateChange.isDead(row.status()))
                        .count(),
                executions,
                history.faults().matching((window) -> true).count(),
                notChecked(history.state()),
                violations);
    }

    private static List<String> notChecked(FinalState state) {
        List<String> missing = new ArrayList<>();
        if (state.ledger() == null) {
            missing.add("business rows: there is no chaos.ledger");
        }
        if (state.bookings() == null) {
            missing.add("deduplication: there is no chaos.booking");
        }
        if (state.changes().isEmpty()) {
            missing.add("fences, transitions, deaths and times: there is no chaos.state_change");
        }
        return missing;
    }
}
