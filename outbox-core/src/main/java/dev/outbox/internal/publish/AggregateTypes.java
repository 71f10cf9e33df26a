package dev.outbox.internal.publish;

import dev.outbox.InvalidEventException;
import dev.outbox.internal.publish.NewEvent.TypeRule;
import dev.outbox.internal.sql.NamedSql;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Refuses an aggregate type whose events the outbox counts and the application numbers too, or that two services publish: their
 * sequences would not follow the order of commits.
 */
final class AggregateTypes {

    private static final Logger log = LoggerFactory.getLogger(AggregateTypes.class);

    /** Relies on outbox_aggregate_type_pk. Does not wait for another transaction that adds the type: it may be open for long. */
    static final String ADD = """
            INSERT INTO {schema}.outbox_aggregate_type (aggregate_type, counted, origin)
            SELECT :aggregate_type, :counted, :origin::text
             WHERE pg_try_advisory_xact_lock(hashtextextended('outbox type of {schema} ' || :aggregate_type, 0))
            ON CONFLICT (aggregate_type) DO NOTHING
            """;

    /** Relies on outbox_aggregate_type_pk. */
    static final String FIND = """
            SELECT t.counted, t.origin
              FROM {schema}.outbox_aggregate_type t
             WHERE t.aggregate_type = :aggregate_type
            """;

    /** More kinds of entities than an application names in its code. */
    private static final int MANY = 100;

    private final Set<String> addedHere = ConcurrentHashMap.newKeySet();
    private final NamedSql add;
    private final NamedSql find;

    AggregateTypes(OutboxSchema schema) {
        this.add = new NamedSql(schema.render(ADD));
        this.find = new NamedSql(schema.render(FIND));
    }

    /** Stores the rules of new types, unless an event is refused: the first event of a type decides. */
    void admit(Connection connection, Collection<NewEvent> events) throws SQLException {
        Map<String, TypeRule> rules = new HashMap<>();
        Map<String, TypeRule> added = new HashMap<>();
        for (NewEvent event : events) {
            String type = event.aggregate().type();
            TypeRule own = event.typeRule();
            TypeRule rule = rules.get(type);
            if (rule == null) {
                rule = find(connection, type);
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
            add(connection, type.getKey(), type.getValue());
        }
    }

    private void add(Connection connection, String aggregateType, TypeRule rule) throws SQLException {
        if (addedHere.size() < MANY && addedHere.add(aggregateType) && addedHere.size() == MANY) {
            log.warn(
                    "This instance has published the first events of {} aggregate types, most recently '{}': an aggregate type is"
                            + " a kind of entity, such as order, and its id names one of them; check that"
                            + " publish(aggregateType, aggregateId, payload) does not get them in the wrong order",
                    MANY,
                    StorableText.quotable(aggregateType));
        }
        try (PreparedStatement statement = connection.prepareStatement(add.positional())) {
            add.bind(statement)
                    .set("aggregate_type", aggregateType)
                    .set("counted", rule.counted())
                    .set("origin", rule.origin())
                    .requireAll();
            statement.executeUpdate();
        }
    }

    private @Nullable TypeRule find(Connection connection, String aggregateType) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(find.positional())) {
            find.bind(statement).set("aggregate_type", aggregateType).requireAll();
            ResultSet row = statement.executeQuery();
            return row.next() ? new TypeRule(row.getBoolean(1), row.getString(2)) : null;
        }
    }

    /** Scheduled events have no sequence, so they cannot share an aggregate type with events that have one. */
    private static InvalidEventException refused(NewEvent event, boolean counted) {
        String remedy = event.isScheduled()
                ? "; a scheduled event cannot have one: schedule it in an aggregate type of its own, such as "
                        + ofReminders(event.aggregate())
                : "; call OutboxEvent.withSequence for all events of an aggregate type or for none"
                        + (counted
                                ? ", and schedule events in an aggregate type of their own, such as "
                                        + ofReminders(event.aggregate())
                                : "");
        return new InvalidEventException(event.type().name() + " of " + event.aggregate()
                + (counted ? " has a sequence, but other events" : " has no sequence, but other events")
                + " of this aggregate type" + (counted ? " have none" : " have one") + remedy);
    }

    /** Returns an aggregate type for the scheduled events of an aggregate whose other events have sequences. */
    static String ofReminders(Aggregate aggregate) {
        return StorableText.quotable(aggregate.type()) + "-reminder";
    }

    private static InvalidEventException ofAnotherOrigin(NewEvent event, @Nullable String owner) {
        String origin = event.typeRule().origin();
        return new InvalidEventException(
                event.type().name() + " of " + event.aggregate() + " comes from "
                        + (origin == null ? "this service" : origin)
                        + ", but other events of this aggregate type come from "
                        + (owner == null ? "this service" : owner)
                        + "; an aggregate type has one owner: use another aggregate type, such as one with a prefix for received events, or update the origin in outbox_aggregate_type if the service was renamed");
    }
}
