package dev.outbox.chaos.check;

import dev.outbox.chaos.history.EventHistory;
import dev.outbox.chaos.history.Execution;
import dev.outbox.chaos.history.Fact.Operation;
import dev.outbox.chaos.history.History;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Two executions of one lane overlap only if the lease of the earlier one can have expired: its process was suspended or cut off for long
 * enough, or the database was away.
 */
final class OneAtATime implements Rule {

    private final Excuses excuses;

    OneAtATime(CheckSettings settings) {
        this.excuses = new Excuses(settings);
    }

    @Override
    public void check(History history, Violations violations) {
        Map<UUID, EventHistory> events = new HashMap<>();
        history.events().forEach((event) -> events.put(event.id(), event));
        history.lanes().forEach((lane, executions) -> {
            List<Execution> running = new ArrayList<>();
            for (Execution execution : executions) {
                long start = execution.started().at();
                running.removeIf((earlier) -> earlier.end() <= start);
                for (Execution earlier : running) {
                    if (!excuses.mayOverlap(history, earlier, execution)
                            && !isRetriedOutOfOrder(lane.handler(), events, earlier, execution)) {
                        violations.add(
                                "two executions of " + lane.handler() + " for " + lane.aggregate() + " overlap",
                                List.of(earlier, execution));
                    }
                }
                running.add(execution);
            }
        });
    }

    /** An operator may retry a dead event while a later one of its lane is being handled. */
    private static boolean isRetriedOutOfOrder(
            String handler, Map<UUID, EventHistory> events, Execution earlier, Execution later) {
        EventHistory one = events.get(earlier.started().eventId());
        EventHistory other = events.get(later.started().eventId());
        return one != null
                && other != null
                && one != other
                && (one.isOperated(Operation.RETRY, handler) || other.isOperated(Operation.RETRY, handler));
    }
}
