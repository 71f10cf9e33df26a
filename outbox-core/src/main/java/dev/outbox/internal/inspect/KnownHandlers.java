package dev.outbox.internal.inspect;

import dev.outbox.internal.registry.HandlerStore;
import dev.outbox.internal.registry.InstanceStore;
import dev.outbox.internal.registry.RegisteredHandler;
import dev.outbox.internal.sql.Pipeline;
import dev.outbox.operations.OutboxOverview;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Registered handlers by their current and former ids, and the instances in which their circuits are open. */
final class KnownHandlers {

    private final List<RegisteredHandler> current;
    private final Map<String, RegisteredHandler> byEveryId = new HashMap<>();
    private final List<InstanceStore.Listed> instances;

    KnownHandlers(List<RegisteredHandler> handlers, List<InstanceStore.Listed> instances) {
        this.instances = instances;
        this.current = handlers.stream()
                .filter((one) -> handlers.stream().noneMatch((other) -> replaces(other, one)))
                .toList();
        current.forEach((handler) -> handler.aliases().forEach((alias) -> byEveryId.put(alias, handler)));
        current.forEach((handler) -> byEveryId.put(handler.id(), handler));
    }

    /** Reads the rows of {@link HandlerStore#ALL} and {@link InstanceStore#LIST}. */
    static KnownHandlers read(Pipeline.Results results) throws SQLException {
        return new KnownHandlers(
                results.list(HandlerStore.ALL, HandlerStore::read),
                results.list(InstanceStore.LIST, InstanceStore::read));
    }

    /** Of two handlers that have each other's id as an alias, the one with the later heartbeat is current. */
    private static boolean replaces(RegisteredHandler handler, RegisteredHandler former) {
        if (handler.id().equals(former.id()) || !handler.aliases().contains(former.id())) {
            return false;
        }
        if (!former.aliases().contains(handler.id())) {
            return true;
        }
        int age = handler.heartbeat().at().compareTo(former.heartbeat().at());
        return age == 0 ? handler.id().compareTo(former.id()) > 0 : age > 0;
    }

    /** Returns the handlers under their current ids. */
    Collection<RegisteredHandler> current() {
        return current;
    }

    List<OutboxOverview.Instance> instances() {
        return instances.stream().map(InstanceStore.Listed::instance).toList();
    }

    /** Returns the handler that has an id now or had it; {@code null} if none is registered. */
    @Nullable
    RegisteredHandler find(String id) {
        return byEveryId.get(id);
    }

    /** Returns the current id of a handler; the given one if none is registered. */
    String currentId(String id) {
        RegisteredHandler handler = find(id);
        return handler == null ? id : handler.id();
    }

    /** Returns the running instances in which the circuit of a handler is open. */
    Set<String> circuitOpenIn(String currentId) {
        return instances.stream()
                .filter(InstanceStore.Listed::alive)
                .map(InstanceStore.Listed::instance)
                .filter((one) -> one.openCircuits().stream()
                        .anyMatch((id) -> currentId(id).equals(currentId)))
                .map((one) -> one.name())
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
