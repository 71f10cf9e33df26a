package dev.outbox.internal.publish;

import dev.outbox.InvalidEventException;
import dev.outbox.internal.publish.NewEvent.TypeRule;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Refuses an aggregate type whose events the outbox counts and the application numbers too, or that two services publish: their
 * sequences would not follow the order of commits.
 */
final class AggregateTypes {

    private final AggregateTypeStore store;

    AggregateTypes(AggregateTypeStore store) {
        this.store = store;
    }

    /** Stores the rules of new types, unless an event is refused: the first event of a type decides. */
    void admit(Connection connection, List<NewEvent> events) throws SQLException {
        Map<String, TypeRule> rules = new HashMap<>();
        Map<String, TypeRule> added = new HashMap<>();
        for (NewEvent event : events) {
            String type = event.aggregate().type();
            TypeRule own = event.typeRule();
            TypeRule rule = rules.get(type);
            if (rule == null) {
                rule = store.find(connection, type).orElse(null);
                if (rule == null) {
                    added.put(type, own);
                    rule = own;
                }
                rules.put(type, rule);
            }
            if (!Objects.equals(rule.origin(), own.origin())) {
                throw ofAnotherOrigin(event, rule.origin());
            }
            if (rule.counted() != own.counted()) {
                throw refused(event, rule.counted());
            }
        }
        for (Map.Entry<String, TypeRule> type : added.entrySet()) {
            store.add(connection, type.getKey(), type.getValue());
        }
    }

    private static InvalidEventException refused(NewEvent event, boolean counted) {
        return new InvalidEventException(event.type().name() + " of " + event.aggregate()
                + (counted ? " has a sequence, but other events" : " has no sequence, but other events")
                + " of this aggregate type" + (counted ? " have none" : " have one")
                + "; call OutboxEvent.withSequence for all events of an aggregate type or for none");
    }

    private static InvalidEventException ofAnotherOrigin(NewEvent event, @Nullable String owner) {
        String origin = event.typeRule().origin();
        return new InvalidEventException(
                event.type().name() + " of " + event.aggregate() + " comes from "
                        + (origin == null ? "this service" : origin)
                        + ", but other events of this aggregate type come from "
                        + (owner == null ? "this service" : owner)
                        + "; an aggregate type has one owner: use another aggregate type, such as one with a prefix for received events, or call OutboxOperations.changeOrigin if the service was renamed");
    }
}
