package dev.outbox.chaos.check;

import dev.outbox.chaos.history.EventHistory;
import dev.outbox.chaos.history.Execution;
import dev.outbox.chaos.history.Fact.Operation;
import dev.outbox.chaos.history.History;
import dev.outbox.chaos.history.StateChange;
import java.util.List;

/** Every committed event is stored, and succeeded at each of its handlers, or is visibly dead, skipped or withdrawn there. */
final class NothingLost implements Rule {

    @Override
    public void check(History history, Violations violations) {
        for (EventHistory event : history.events()) {
            Fate fate = Fate.of(event, history);
            if (fate == Fate.LOST) {
                violations.add(event + " is gone", List.of(String.valueOf(event.transaction()), event.executions()));
            } else if (fate.isStored()) {
                history.subscriptions().of(event).stream()
                        .filter((handler) -> !isDone(event, handler) && !isOpen(event, handler))
                        .forEach((handler) -> violations.add(
                                event + " never succeeded at " + handler,
                                event.executions(handler).toList()));
            }
        }
    }

    static boolean isDone(EventHistory event, String handler) {
        return event.executions(handler).anyMatch(Execution::succeeded)
                || event.bookings().contains(handler)
                || isGivenUp(event, handler);
    }

    static boolean isGivenUp(EventHistory event, String handler) {
        return event.deliveries().stream()
                        .anyMatch((row) -> row.handler().equals(handler) && StateChange.isDead(row.status()))
                || event.isOperated(Operation.SKIP, handler)
                || event.isOperated("WITHDRAW");
    }

    /** Still to come: another rule bounds how long. */
    private static boolean isOpen(EventHistory event, String handler) {
        return event.scheduled() != null
                || event.stored().stream().anyMatch((row) -> row.status().equals("PENDING"))
                || event.deliveries().stream().anyMatch((row) -> row.handler().equals(handler));
    }
}
