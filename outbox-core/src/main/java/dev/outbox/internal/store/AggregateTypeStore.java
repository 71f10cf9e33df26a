package dev.outbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;

/** Stores for each aggregate type whether the outbox counts the events of its aggregates. */
public final class AggregateTypeStore {

    /** Relies on outbox_aggregate_type_pk. Does not wait for another transaction that adds the type: it may be open for long. */
    private static final String ADD = """
            INSERT INTO {schema}.outbox_aggregate_type (aggregate_type, counted)
            SELECT :aggregate_type, :counted
             WHERE pg_try_advisory_xact_lock(hashtextextended('outbox type of {schema} ' || :aggregate_type, 0))
            ON CONFLICT (aggregate_type) DO NOTHING
            """;

    /** Relies on outbox_aggregate_type_pk. */
    private static final String IS_COUNTED = """
            SELECT t.counted
              FROM {schema}.outbox_aggregate_type t
             WHERE t.aggregate_type = :aggregate_type
            """;

    private final NamedSql add;
    private final NamedSql isCounted;

    public AggregateTypeStore(OutboxSchema schema) {
        this.add = new NamedSql(schema.render(ADD));
        this.isCounted = new NamedSql(schema.render(IS_COUNTED));
    }

    /** Adds types; returns false if another transaction adds or has added one of them. */
    public boolean addAll(Connection connection, Map<String, Boolean> counted) throws SQLException {
        boolean added = true;
        for (Map.Entry<String, Boolean> type : counted.entrySet()) {
            try (PreparedStatement statement = connection.prepareStatement(add.positional())) {
                add.bind(statement)
                        .set("aggregate_type", type.getKey())
                        .set("counted", type.getValue())
                        .requireAll();
                added &= statement.executeUpdate() == 1;
            }
        }
        return added;
    }

    /** Returns whether the outbox counts the events of a type; empty for a type without events. */
    public Optional<Boolean> isCounted(Connection connection, String aggregateType) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(isCounted.positional())) {
            isCounted.bind(statement).set("aggregate_type", aggregateType).requireAll();
            ResultSet row = statement.executeQuery();
            return row.next() ? Optional.of(row.getBoolean(1)) : Optional.empty();
        }
    }
}
