package dev.outbox.operations.internal.inspect;

import dev.outbox.internal.registry.HandlerStore;
import dev.outbox.internal.registry.KnownHandlers;
import dev.outbox.internal.sql.Pipeline;
import dev.outbox.operations.Count;
import dev.outbox.operations.LaneReport.Front;
import dev.outbox.operations.OutboxOverview;
import dev.outbox.operations.OutboxOverview.Call;
import dev.outbox.operations.OutboxOverview.RunTime;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Registered handlers, and what they do in the instances. */
record ListedHandlers(KnownHandlers known, List<InstanceRow> listed) {

    /** Reads the rows of {@link HandlerStore#ALL} and {@link InstanceRow#LIST}. */
    static ListedHandlers read(Pipeline.Results results) throws SQLException {
        KnownHandlers known = HandlerStore.known(results);
        return new ListedHandlers(known, results.list(InstanceRow.LIST, (row) -> InstanceRow.read(row, known)));
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

    /** Returns the run times of a handler in all instances, one for each stream. */
    List<RunTime> runTimes(String currentId) {
        return List.copyOf(listed.stream()
                .flatMap((one) -> one.runTimes().getOrDefault(currentId, List.of()).stream())
                .collect(Collectors.toMap(RunTime::stream, Function.identity(), RunTime::plus, TreeMap::new))
                .values());
    }

    /** Returns the call in front of a lane: one of the aggregate or, if none lasts, the longest of the stream. */
    Front front(Count older, String stream, String aggregateType, String aggregateId) {
        record Lasting(String instance, Call call) {}
        return listed.stream()
                .map(InstanceRow::instance)
                .flatMap((instance) -> instance.calls().stream().map((call) -> new Lasting(instance.name(), call)))
                .filter((one) -> one.call().stream().equals(stream))
                .max(Comparator.comparing((Lasting one) -> isOf(one.call(), aggregateType, aggregateId))
                        .thenComparing((one) -> one.call().running()))
                .map((one) -> new Front(older, one.instance(), one.call()))
                .orElse(new Front(older, null, null));
    }

    private static boolean isOf(Call call, String aggregateType, String aggregateId) {
        return call.aggregateType().equals(aggregateType) && call.aggregateId().equals(aggregateId);
    }
}
