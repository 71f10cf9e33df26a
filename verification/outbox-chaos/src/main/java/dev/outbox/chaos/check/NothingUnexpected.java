package dev.outbox.chaos.check;

import dev.outbox.chaos.history.EventHistory;
import dev.outbox.chaos.history.Fact.IntendedEvent;
import dev.outbox.chaos.history.History;
import dev.outbox.chaos.history.TransactionHistory;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * No event of an aborted transaction is stored or handled, and none is handled that an operator withdrew; a transaction is wholly there or
 * wholly absent.
 */
final class NothingUnexpected implements Rule {

    /** How exactly the time of the database is known in the time of the processes. */
    private static final long TOLERANCE = TimeUnit.MILLISECONDS.toNanos(100);

    @Override
    public void check(History history, Violations violations) {
        for (EventHistory event : history.events()) {
            if (Fate.of(event, history) == Fate.UNEXPECTED) {
                violations.add(
                        event + " was not committed, and is stored or was handled",
                        List.of(String.valueOf(event.transaction()), event.stored(), event.executions()));
            }
            event.changes().stream()
                    .filter((change) -> change.isOperation("WITHDRAW"))
                    .flatMap((change) -> event.executions().stream()
                            .filter((execution) -> execution.started().at() > change.at() + TOLERANCE))
                    .forEach((execution) -> violations.add(event + " was withdrawn, and handled", List.of(execution)));
        }
        for (TransactionHistory transaction : history.transactions()) {
            List<EventHistory> meant = transaction.events().stream()
                    .filter((event) -> isMeant(event, history))
                    .toList();
            long there = meant.stream().filter(EventHistory::isThere).count();
            if (there > 0 && there < meant.size()) {
                violations.add(there + " of " + meant.size() + " events are stored of " + transaction, meant);
            }
        }
    }

    private static boolean isMeant(EventHistory event, History history) {
        IntendedEvent intended = event.intended();
        return intended != null
                && !intended.rolledBack()
                && (event.isThere() || !(event.isWithdrawn() || history.isGivenUp(event)));
    }
}
