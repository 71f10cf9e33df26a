package dev.outbox.chaos.check;

import dev.outbox.chaos.history.EventHistory;
import dev.outbox.chaos.history.Execution;
import dev.outbox.chaos.history.Fact.Commit;
import dev.outbox.chaos.history.History;
import dev.outbox.chaos.history.StateChange;
import dev.outbox.chaos.history.TransactionHistory;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * A handler starts an event, or the event dies there, in time after its commit, the moment at which it was due, the end of its
 * predecessor, or the last fault meanwhile, whichever is latest. Frozen connections count from their beginning: nothing ends them. An
 * event that never starts belongs to {@link BacklogEmpty}.
 */
final class StartedInTime implements Rule {

    private final Duration longestWait;

    StartedInTime(CheckSettings settings) {
        this.longestWait = settings.longestWait();
    }

    @Override
    public void check(History history, Violations violations) {
        for (List<EventHistory> events : history.aggregates().values()) {
            Map<String, Long> predecessors = new HashMap<>();
            for (EventHistory event : events) {
                for (String handler : history.subscriptions().of(event)) {
                    long over = predecessors.getOrDefault(handler, Long.MIN_VALUE);
                    check(history, event, handler, over, violations);
                    predecessors.put(handler, Math.max(over, over(event, handler)));
                }
            }
        }
    }

    private void check(History history, EventHistory event, String handler, long predecessor, Violations violations) {
        OptionalLong started = event.executions(handler)
                .filter((execution) -> !execution.started().replayed())
                .mapToLong((execution) -> execution.started().at())
                .min();
        long taken = started.orElse(givenUp(event, handler));
        long ready = Math.max(ready(event), predecessor);
        if (taken == Long.MAX_VALUE || ready >= taken) {
            return;
        }
        long waited = taken - history.faults().lastRecoverable(ready, taken);
        if (waited > longestWait.toNanos()) {
            violations.add(
                    event + " waited " + TimeUnit.NANOSECONDS.toMillis(waited) + " ms for " + handler
                            + ", and nothing held it back",
                    event.executions(handler).toList());
        }
    }

    private static long ready(EventHistory event) {
        TransactionHistory transaction = event.transaction();
        if (transaction == null) {
            return Long.MAX_VALUE;
        }
        long committed =
                transaction.outcome() == Commit.COMMITTED ? transaction.completedAt() : transaction.intendedAt();
        Long due = event.due();
        return due == null ? committed : Math.max(committed, due);
    }

    /** Returns when a handler was done with an event; the end of time if it never was. */
    private static long over(EventHistory event, String handler) {
        long succeeded = event.executions(handler)
                .filter(Execution::succeeded)
                .mapToLong(Execution::end)
                .min()
                .orElse(Long.MAX_VALUE);
        return Math.min(succeeded, givenUp(event, handler));
    }

    private static long givenUp(EventHistory event, String handler) {
        return event.changes().stream()
                .filter((change) -> change.isOperation("WITHDRAW")
                        || (handler.equals(change.subject().handler())
                                && (change.isDeath() || change.isOperation("SKIP"))))
                .mapToLong(StateChange::at)
                .min()
                .orElse(Long.MAX_VALUE);
    }
}
