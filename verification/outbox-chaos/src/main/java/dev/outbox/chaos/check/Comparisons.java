package dev.outbox.chaos.check;

import dev.outbox.chaos.history.EventHistory;
import dev.outbox.chaos.history.Execution;
import java.util.List;
import java.util.stream.Stream;

/** Details of two events that break a rule together. */
final class Comparisons {

    private Comparisons() {}

    static List<Execution> executions(String handler, EventHistory one, EventHistory other) {
        return Stream.concat(one.executions(handler), other.executions(handler)).toList();
    }
}
