package dev.outbox.chaos.check;

import dev.outbox.chaos.history.EventHistory;
import dev.outbox.chaos.history.FinalState.LedgerRow;
import dev.outbox.chaos.history.History;
import java.util.List;

/** The business row of an event and the event itself appear together, with one sequence, and an event that its publisher withdraws leaves with its row. */
final class BusinessRowsMatch implements Rule {

    @Override
    public void check(History history, Violations violations) {
        if (history.state().ledger() == null) {
            return;
        }
        for (EventHistory event : history.events()) {
            List<LedgerRow> rows = event.ledger();
            if (event.isOperated("CANCEL_SCHEDULED")) {
                continue;
            }
            if (event.isThere() != !rows.isEmpty()) {
                violations.add(
                        event + (rows.isEmpty() ? " has no business row" : " is not stored, and has a business row"),
                        List.of(rows, event.stored()));
            } else if (rows.stream().anyMatch((row) -> !event.stored().isEmpty() && !isOf(event, row))) {
                violations.add(event + " has another business row", List.of(rows, event.stored()));
            }
        }
    }

    private static boolean isOf(EventHistory event, LedgerRow row) {
        return event.stored().stream()
                .allMatch((stored) -> (event.due() != null || stored.sequence() == row.sequence())
                        && stored.aggregateId().equals(row.aggregateId()));
    }
}
