package dev.outbox.internal.registry;

import dev.outbox.internal.sql.NamedSql;
import java.sql.SQLException;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** The handlers that are to get deliveries now, and what they take, under all ids that they have or had. */
public record ActiveHandlers(SortedMap<String, Set<Subscription>> byId) {

    public ActiveHandlers {
        byId = new TreeMap<>(byId);
    }

    /** Returns handlers that take every event. */
    public static ActiveHandlers ofAllTypes(String... ids) {
        SortedMap<String, Set<Subscription>> byId = new TreeMap<>();
        for (String id : ids) {
            byId.put(id, Set.of(Subscription.ofType(Subscription.ANY)));
        }
        return new ActiveHandlers(byId);
    }

    public NamedSql.Parameters bind(NamedSql.Parameters parameters) throws SQLException {
        return Subscriptions.bind(parameters, byId);
    }
}
