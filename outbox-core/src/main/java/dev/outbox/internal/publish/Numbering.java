package dev.outbox.internal.publish;

import dev.outbox.InvalidEventException;
import dev.outbox.internal.delivery.NewEvent;
import dev.outbox.internal.store.AggregateTypeStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Refuses an aggregate type whose events the outbox counts and the application numbers too: their sequences would not follow the order of
 * commits. Types of committed events are remembered, so that later events of them cost no query.
 */
public final class Numbering {

    private final AggregateTypeStore store;
    private final Map<String, Boolean> committed = new ConcurrentHashMap<>();

    /** Creates a guard that has seen no event yet. */
    public Numbering(AggregateTypeStore store) {
        this.store = store;
    }

    void require(Connection connection, List<NewEvent> events) throws SQLException {
        Map<String, Boolean> read = new HashMap<>();
        for (NewEvent event : events) {
            String type = event.aggregate().type();
            Boolean counted = committed.getOrDefault(type, read.get(type));
            if (counted == null) {
                counted = stored(connection, type, event.isCounted());
                read.put(type, counted);
            }
            if (counted != event.isCounted()) {
                throw refused(event, counted);
            }
        }
    }

    private static InvalidEventException refused(NewEvent event, boolean counted) {
        return new InvalidEventException(event.type().name() + " of " + event.aggregate()
                + (counted ? " has a sequence, but the earlier events" : " has no sequence, but the earlier events")
                + " of this aggregate type" + (counted ? " have none" : " have one")
                + "; call OutboxEvent.withSequence for all events of an aggregate type or for none");
    }

    private boolean stored(Connection connection, String type, boolean counted) throws SQLException {
        Optional<Boolean> known = store.isCounted(connection, type);
        if (known.isPresent()) {
            return known.get();
        }
        store.add(connection, type, counted);
        return store.isCounted(connection, type).orElseThrow();
    }

    /** Remembers a type. Its row is committed, because an event of a transaction that has seen it is. */
    void remember(String aggregateType, boolean counted) {
        committed.put(aggregateType, counted);
    }
}
