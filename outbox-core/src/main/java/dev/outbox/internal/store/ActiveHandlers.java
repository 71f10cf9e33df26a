package dev.outbox.internal.store;

import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** The handlers that are to get deliveries now, under all ids that they have or had. */
public record ActiveHandlers(SortedMap<String, Set<String>> byId) {

    public ActiveHandlers {
        byId = new TreeMap<>(byId);
    }

    /** Returns handlers that want every event type. */
    public static ActiveHandlers ofAllTypes(String... ids) {
        SortedMap<String, Set<String>> byId = new TreeMap<>();
        for (String id : ids) {
            byId.put(id, Set.of("*"));
        }
        return new ActiveHandlers(byId);
    }

    String[] ids() {
        return byId.keySet().toArray(String[]::new);
    }

    /** Returns comma-separated event types in the order of {@code ids()}; {@code *} subsumes all others. */
    String[] eventTypes() {
        return byId.values().stream()
                .map((types) -> types.contains("*") ? "*" : String.join(",", types))
                .toArray(String[]::new);
    }
}
