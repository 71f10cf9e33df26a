package dev.outbox.internal.registry;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Registered handlers by their current and former ids. */
public final class KnownHandlers {

    private final List<RegisteredHandler> current;
    private final Map<String, RegisteredHandler> byEveryId = new HashMap<>();

    public KnownHandlers(List<RegisteredHandler> handlers) {
        this.current = handlers.stream()
                .filter((one) -> handlers.stream().noneMatch((other) -> replaces(other, one)))
                .toList();
        current.forEach((handler) -> handler.aliases().forEach((alias) -> byEveryId.put(alias, handler)));
        current.forEach((handler) -> byEveryId.put(handler.id(), handler));
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
    public Collection<RegisteredHandler> current() {
        return current;
    }

    /** Returns the handler that has an id now or had it; {@code null} if none is registered. */
    public @Nullable RegisteredHandler find(String id) {
        return byEveryId.get(id);
    }

    /** Returns the current id of a handler; the given one if none is registered. */
    public String currentId(String id) {
        RegisteredHandler handler = find(id);
        return handler == null ? id : handler.id();
    }
}
