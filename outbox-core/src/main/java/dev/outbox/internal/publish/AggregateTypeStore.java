package dev.outbox.internal.publish;

import dev.outbox.internal.publish.NewEvent.TypeRule;
import dev.outbox.internal.sql.NamedSql;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/** Stores for each aggregate type whether the outbox counts its events, and where they come from. */
final class AggregateTypeStore {

    /** Relies on outbox_aggregate_type_pk. Does not wait for another transaction that adds the type: it may be open for long. */
    private static final String ADD = """
            INSERT INTO {schema}.outbox_aggregate_type (aggregate_type, counted, origin)
            SELECT :aggregate_type, :counted, :origin::text
             WHERE pg_try_advisory_xact_lock(hashtextextended('outbox type of {schema} ' || :aggregate_type, 0))
            ON CONFLICT (aggregate_type) DO NOTHING
            """;

    /** Relies on outbox_aggregate_type_pk. */
    private static final String FIND = """
            SELECT t.counted, t.origin
              FROM {schema}.outbox_aggregate_type t
             WHERE t.aggregate_type = :aggregate_type
            """;

    private final NamedSql add;
    private final NamedSql find;

    public AggregateTypeStore(OutboxSchema schema) {
        this.add = new NamedSql(schema.render(ADD));
        this.find = new NamedSql(schema.render(FIND));
    }

    /** Adds a type, unless another transaction adds or has added it. */
    public void add(Connection connection, String aggregateType, TypeRule rule) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(add.positional())) {
            add.bind(statement)
                    .set("aggregate_type", aggregateType)
                    .set("counted", rule.counted())
                    .set("origin", rule.origin())
                    .requireAll();
            statement.executeUpdate();
        }
    }

    /** Finds the rule of a type; empty for a type without events. */
    public Optional<TypeRule> find(Connection connection, String aggregateType) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(find.positional())) {
            find.bind(statement).set("aggregate_type", aggregateType).requireAll();
            ResultSet row = statement.executeQuery();
            return row.next() ? Optional.of(new TypeRule(row.getBoolean(1), row.getString(2))) : Optional.empty();
        }
    }
}
