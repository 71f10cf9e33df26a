package dev.outbox.operations.internal.inspect;

import dev.outbox.internal.registry.HandlerStore;
import dev.outbox.internal.registry.KnownHandlers;
import dev.outbox.internal.sql.Pipeline;
import dev.outbox.operations.OutboxOverview;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Registered handlers, and the instances in which their circuits are open. */
record ListedHandlers(KnownHandlers known, List<InstanceRow> listed) {

    /** Reads the rows of {@link HandlerStore#ALL} and {@link InstanceRow#LIST}. */
    static ListedHandlers read(Pipeline.Results results) throws SQLException {
        return new ListedHandlers(HandlerStore.known(results), results.list(InstanceRow.LIST, InstanceRow::read));
    }

    List<OutboxOverview.Instance> instances() {
        return listed.stream().map(InstanceRow::instance).toList();
    }

    /** Returns the running instances in which the circuit of a handler is open. */
    Set<String> circuitOpenIn(String currentId) {
        return listed.stream()
                .filter(InstanceRow::alive)
                .map(InstanceRow::instance)
                .filter((one) -> one.openCircuits().stream()
                        .anyMatch((id) -> known.currentId(id).equals(currentId)))
                .map((one) -> one.name())
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
