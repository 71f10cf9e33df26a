package dev.outbox.chaos.check;

import dev.outbox.chaos.history.EventHistory;
import dev.outbox.chaos.history.EventHistory.Withdrawal;
import dev.outbox.chaos.history.Execution;
import dev.outbox.chaos.history.Fact.Commit;
import dev.outbox.chaos.history.Faults;
import dev.outbox.chaos.history.FinalState.ScheduledEvent;
import dev.outbox.chaos.history.History;
import dev.outbox.chaos.history.StateChange;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A scheduled event is never delivered before it is due, by the clock of the database, or an operator makes it due, nor left over when it is
 * due, and never delivered once it is withdrawn or cancelled: of an event and the one that replaced it, only one is there.
 */
final class ScheduleKept implements Rule {

    /** How exactly the time of the database is known in the time of the processes. */
    private static final long TOLERANCE = TimeUnit.MILLISECONDS.toNanos(100);

    private final Duration deadline;

    /** How long after another server took over a worker may still start what that one does not know: when it resumes. */
    private final Duration lateStart;

    ScheduleKept(CheckSettings settings) {
        this.deadline = settings.backlogDeadline();
        this.lateStart = settings.lease().multipliedBy(2);
    }

    @Override
    public void check(History history, Violations violations) {
        for (EventHistory event : history.events()) {
            Long due = event.due();
            if (due != null) {
                checkTime(history, event, due, violations);
                event.withdrawals().stream()
                        .filter((withdrawal) -> isCertain(withdrawal, history.faults()))
                        .forEach((withdrawal) -> checkAbsence(history, event, withdrawal, violations));
                event.changes().stream()
                        .filter((change) -> change.isOperation("CANCEL_SCHEDULED"))
                        .forEach((change) -> checkAbsence(history, event, change, violations));
                event.executions().stream()
                        .filter((execution) -> event.survived()
                                && execution.started().sequence() != event.sequence()
                                && !isForgotten(history, execution))
                        .forEach((execution) ->
                                violations.add(event + " was handled under another sequence", List.of(execution)));
            }
        }
    }

    private void checkTime(History history, EventHistory event, long published, Violations violations) {
        long due = event.changes().stream()
                .filter((change) -> change.isOperation("DELIVER_NOW"))
                .mapToLong(StateChange::at)
                .reduce(published, Math::min);
        event.executions().stream()
                .filter((execution) -> execution.started().at() < due - TOLERANCE && !isForgotten(history, execution))
                .forEach((execution) ->
                        violations.add(event + " was handled before it was due, at " + due, List.of(execution)));
        event.changes().stream()
                .filter((change) -> change.isArrival() && change.at() < due)
                .forEach((change) -> violations.add(event + " moved before it was due, at " + due, List.of(change)));
        ScheduledEvent row = event.scheduled();
        if (row != null && (row.overdue() || row.due() < due || row.due() > due + deadline.toNanos())) {
            violations.add(event + " is still scheduled, and was due at " + due, List.of(row));
        }
    }

    /** A withdrawal commits together with the event that replaces the withdrawn one. */
    private static boolean isCertain(Withdrawal withdrawal, Faults faults) {
        EventHistory replacement = withdrawal.replacement();
        return (replacement != null && replacement.isThere())
                || (withdrawal.transaction().outcome() == Commit.COMMITTED
                        && !faults.mayForget(withdrawal.transaction()));
    }

    private void checkAbsence(History history, EventHistory event, Object withdrawal, Violations violations) {
        if (event.isThere() || event.changes().stream().anyMatch(StateChange::isArrival)) {
            violations.add(event + " was withdrawn, and is there or has moved", List.of(withdrawal, event.changes()));
        } else if (event.executions().stream().anyMatch((execution) -> !isForgotten(history, execution))) {
            violations.add(event + " was withdrawn, and handled", List.of(withdrawal, event.executions()));
        }
    }

    private boolean isForgotten(History history, Execution execution) {
        return history.faults().mayForget(execution.started().at(), lateStart);
    }
}
