package dev.outbox.chaos.check;

import dev.outbox.chaos.history.EventHistory;
import dev.outbox.chaos.history.History;
import dev.outbox.chaos.history.StateChange;
import dev.outbox.chaos.history.StateChange.Kind;
import java.util.List;

/** A deduplicating handler has booked every event that is done exactly once, and once more for each replay at most. */
final class BookedOnce implements Rule {

    @Override
    public void check(History history, Violations violations) {
        if (history.state().bookings() == null) {
            return;
        }
        List<String> deduplicating = history.subscriptions().deduplicating().toList();
        for (EventHistory event : history.events()) {
            for (String handler : deduplicating) {
                check(event, handler, violations);
            }
        }
    }

    private static void check(EventHistory event, String handler, Violations violations) {
        long booked = event.bookings().stream().filter(handler::equals).count();
        long most = event.survived() ? 1 + replays(event, handler) : 0;
        boolean expected = event.survived()
                && event.executions(handler).anyMatch((execution) -> execution.succeeded())
                && event.stored().stream().noneMatch((row) -> row.status().equals("PENDING"))
                && event.deliveries().stream().noneMatch((row) -> row.handler().equals(handler))
                && !NothingLost.isGivenUp(event, handler);
        if (booked > most || (expected && booked == 0)) {
            violations.add(
                    event + " is booked " + booked + " times by " + handler,
                    event.executions(handler).toList());
        }
    }

    private static long replays(EventHistory event, String handler) {
        return event.changes().stream()
                .filter((change) -> change.kind() == Kind.DELIVERY
                        && change.old().equals(StateChange.State.NONE)
                        && change.subject().replay()
                        && handler.equals(change.subject().handler()))
                .count();
    }
}
