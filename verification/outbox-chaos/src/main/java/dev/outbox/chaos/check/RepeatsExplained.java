package dev.outbox.chaos.check;

import dev.outbox.chaos.history.EventHistory;
import dev.outbox.chaos.history.Execution;
import dev.outbox.chaos.history.Fact.Kind;
import dev.outbox.chaos.history.Fact.Operation;
import dev.outbox.chaos.history.Fact.Outcome;
import dev.outbox.chaos.history.History;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A handler succeeds with an event once, unless an operator asks for more. Each further success follows a fault that can have kept the
 * outcome of the one before it from the database. So there are at most as many as executions that faults hit, and none without faults.
 */
final class RepeatsExplained implements Rule {

    private final Excuses excuses;

    RepeatsExplained(CheckSettings settings) {
        this.excuses = new Excuses(settings);
    }

    @Override
    public void check(History history, Violations violations) {
        for (EventHistory event : history.events()) {
            for (String handler : repeating(event)) {
                List<Execution> successes = successes(event, handler);
                for (int i = 1; i < successes.size(); i++) {
                    Execution first = successes.get(i - 1);
                    Execution second = successes.get(i);
                    if (!excuses.mayRepeat(history, first, second) && !isGivenBack(history, event, first)) {
                        violations.add(
                                event + " succeeded again at " + handler + " without a fault in between",
                                List.of(first, second));
                    }
                }
            }
        }
    }

    /** A process that stops interrupts a handler, and gives its event back with what other handlers did. */
    private static boolean isGivenBack(History history, EventHistory event, Execution first) {
        String process = first.started().process();
        return event.executions().stream()
                        .anyMatch((execution) -> execution.started().process().equals(process)
                                && (execution.ended() == null
                                        || execution.ended().outcome() == Outcome.INTERRUPTED))
                && history.faults()
                        .matching((window) -> window.kind() == Kind.STOP
                                && window.target().equals(process)
                                && window.ended() >= first.started().at())
                        .findAny()
                        .isPresent();
    }

    /** Returns how often handlers succeeded again with an event, without an operator's wish. */
    static int count(EventHistory event) {
        return repeating(event).stream()
                .mapToInt((handler) -> successes(event, handler).size() - 1)
                .sum();
    }

    private static Set<String> repeating(EventHistory event) {
        if (event.executions().size() < 2) {
            return Set.of();
        }
        return event.executions().stream()
                .map((execution) -> execution.started().handler())
                .collect(Collectors.groupingBy((handler) -> handler, Collectors.counting()))
                .entrySet()
                .stream()
                .filter((entry) -> entry.getValue() > 1
                        && !event.isOperated(Operation.RETRY, entry.getKey())
                        && successes(event, entry.getKey()).size() > 1)
                .map((entry) -> entry.getKey())
                .collect(Collectors.toSet());
    }

    private static List<Execution> successes(EventHistory event, String handler) {
        return event.executions(handler)
                .filter((execution) ->
                        execution.succeeded() && !execution.started().replayed())
                .toList();
    }
}
