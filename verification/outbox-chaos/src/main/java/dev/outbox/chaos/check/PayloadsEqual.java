package dev.outbox.chaos.check;

import dev.outbox.chaos.history.EventHistory;
import dev.outbox.chaos.history.Fact.IntendedEvent;
import dev.outbox.chaos.history.FinalState.StoredEvent;
import dev.outbox.chaos.history.History;
import java.util.List;
import java.util.Map;

/**
 * Handlers and the database have the payload that was published, byte by byte as {@code jsonb} normalises it, and its headers. The database
 * has neither of an event that an operator erased, which no handler gets any more.
 */
final class PayloadsEqual implements Rule {

    @Override
    public void check(History history, Violations violations) {
        for (EventHistory event : history.events()) {
            IntendedEvent intended = event.intended();
            if (intended == null) {
                continue;
            }
            event.executions().stream()
                    .map((execution) -> execution.started())
                    .filter((started) -> !isEqual(intended, started.payload(), started.headers()))
                    .forEach((started) ->
                            violations.add(event + " was handled with another payload", List.of(intended, started)));
            event.stored().stream()
                    .filter((row) -> !isEqual(intended, row.payload(), row.headers()))
                    .filter((row) -> !event.isOperated("ERASE") || !isErased(row))
                    .forEach(
                            (row) -> violations.add(event + " is stored with another payload", List.of(intended, row)));
        }
    }

    private static boolean isErased(StoredEvent row) {
        return row.payload().equals("{}") && row.headers().isEmpty();
    }

    private static boolean isEqual(IntendedEvent intended, String payload, Map<String, String> headers) {
        return intended.payload().equals(payload) && intended.headers().equals(headers);
    }
}
