package dev.outbox.chaos.check;

import dev.outbox.chaos.history.EventHistory;
import dev.outbox.chaos.history.Execution;
import dev.outbox.chaos.history.Fact.Operated;
import dev.outbox.chaos.history.Fact.Operation;
import dev.outbox.chaos.history.Faults.Window;
import dev.outbox.chaos.history.History;
import dev.outbox.chaos.history.StateChange;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Per handler and aggregate, no event starts before every earlier one is over: it succeeded, died, or was skipped. Replays, and what an
 * operator retried, are not in order with the others, nor are executions under a sequence that the database forgot.
 */
final class InOrder implements Rule {

    /** How exactly the time of the database is known in the time of the processes. */
    private static final long TOLERANCE = TimeUnit.MILLISECONDS.toNanos(100);

    @Override
    public void check(History history, Violations violations) {
        for (List<EventHistory> events : history.aggregates().values()) {
            Set<String> handlers = new TreeSet<>();
            for (EventHistory event : events) {
                event.executions()
                        .forEach((execution) -> handlers.add(execution.started().handler()));
            }
            handlers.forEach((handler) -> check(history, events, handler, violations));
        }
    }

    private static void check(History history, List<EventHistory> events, String handler, Violations violations) {
        long latest = Long.MIN_VALUE;
        for (int i = 0; i < events.size(); i++) {
            EventHistory event = events.get(i);
            OptionalLong start = firstStart(history, event, handler);
            if (start.isPresent() && start.getAsLong() < latest) {
                // Rare, so that looking at all of them costs nothing.
                events.subList(0, i).stream()
                        .filter((earlier) -> over(history, earlier, handler) > start.getAsLong())
                        .filter((earlier) -> !isDeathForgotten(history, earlier, handler, start.getAsLong()))
                        .findFirst()
                        .ifPresent((earlier) -> violations.add(
                                event + " started at " + handler + " before " + earlier + " was over",
                                Stream.concat(earlier.executions(handler), event.executions(handler))
                                        .toList()));
            }
            latest = Math.max(latest, over(history, event, handler));
        }
    }

    private static OptionalLong firstStart(History history, EventHistory event, String handler) {
        return event.executions(handler)
                .filter((execution) -> !execution.started().replayed()
                        && (event.due() == null || hasItsSequence(history, event, execution)))
                .mapToLong((execution) -> execution.started().at())
                .min();
    }

    /** The database may have forgotten that it moved a scheduled event, and then given it the same sequence again, behind other events. */
    private static boolean hasItsSequence(History history, EventHistory event, Execution execution) {
        return execution.started().sequence() == event.sequence()
                && !history.faults().mayForget(execution.started().at(), Duration.ZERO);
    }

    /** Returns when a handler was done with an event; the end of time if it never was. */
    private static long over(History history, EventHistory event, String handler) {
        if (event.executions(handler).findAny().isEmpty()
                && !history.subscriptions().of(event).contains(handler)) {
            return Long.MIN_VALUE;
        }
        long succeeded = event.executions(handler)
                .filter(Execution::succeeded)
                .mapToLong(Execution::end)
                .min()
                .orElse(Long.MAX_VALUE);
        if (event.bookings().contains(handler) && succeeded == Long.MAX_VALUE) {
            // Its transaction committed, and its process died before it could say so.
            return Long.MIN_VALUE;
        }
        return Math.min(succeeded, Math.min(died(event, handler), skipped(event, handler)));
    }

    /** A worker decides on a death when the last attempt or the decoding fails, and continues before the death is written. */
    private static long died(EventHistory event, String handler) {
        long written = event.changes().stream()
                .filter((change) ->
                        change.isDeath() && handler.equals(change.subject().handler()))
                .mapToLong(StateChange::at)
                .min()
                .orElse(NothingLost.isGivenUp(event, handler) ? Long.MAX_VALUE - TOLERANCE : Long.MAX_VALUE);
        if (written == Long.MAX_VALUE) {
            return Long.MAX_VALUE;
        }
        return event.executions(handler)
                .filter(Execution::failed)
                .mapToLong(Execution::end)
                .filter((end) -> end <= written + TOLERANCE)
                .max()
                .orElse(Long.MIN_VALUE);
    }

    private static long skipped(EventHistory event, String handler) {
        LongStream written = event.changes().stream()
                .filter((change) -> change.isOperation("WITHDRAW")
                        || (change.isOperation("SKIP")
                                && handler.equals(change.subject().handler())))
                .mapToLong((change) -> change.at() - TOLERANCE);
        LongStream called = event.operations().stream()
                .filter((one) -> one.kind() == Operation.SKIP && one.handler().equals(handler))
                .mapToLong(Operated::at);
        return LongStream.concat(written, called).min().orElse(Long.MAX_VALUE);
    }

    /** The event died, a later one started, and then PostgreSQL forgot the death. */
    private static boolean isDeathForgotten(History history, EventHistory event, String handler, long started) {
        OptionalLong failed = event.executions(handler)
                .filter((execution) -> execution.failed() && execution.end() <= started)
                .mapToLong(Execution::end)
                .min();
        return failed.isPresent()
                && history.faults()
                        .matching(Window::isOfDatabase)
                        .anyMatch((window) -> window.overlaps(failed.getAsLong(), over(history, event, handler)));
    }
}
