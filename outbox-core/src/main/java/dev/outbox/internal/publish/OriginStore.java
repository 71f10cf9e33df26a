package dev.outbox.internal.publish;

import dev.outbox.internal.audit.AuditInfo;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Changes the origin of the received events of an aggregate type, and records who asked for it and why in the same durable transaction. */
public final class OriginStore {

    /** Relies on outbox_aggregate_type_pk. The owner that it returns is the one before the change. */
    private static final String CHANGE = """
            WITH changed AS (
                UPDATE {schema}.outbox_aggregate_type t
                   SET origin = :to
                 WHERE t.aggregate_type = :aggregate_type
                   AND t.origin = :from
                   AND t.origin <> :to
                RETURNING t.aggregate_type
            ), recorded AS (
                INSERT INTO {schema}.outbox_operation (performed_by, action, reason)
                SELECT :actor, 'CHANGE_ORIGIN', :reason
                  FROM changed
            )
            SELECT EXISTS (SELECT FROM changed), t.origin
              FROM {schema}.outbox_aggregate_type t
             WHERE t.aggregate_type = :aggregate_type
            """;

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);

    private final DataSource dataSource;
    private final Pipeline change;

    public OriginStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.change = Pipeline.durable(schema, LONGEST_WAIT, CHANGE);
    }

    /**
     * Outcome of a change.
     *
     * @param changed whether the origin was changed
     * @param owner the origin before, or {@code null} for this service
     */
    public record Result(boolean changed, @Nullable String owner) {}

    /** Changes the origin if it is {@code from}; empty for a type without events. */
    public Optional<Result> change(String aggregateType, String from, String to, AuditInfo audit) throws SQLException {
        return change.run(
                dataSource,
                (parameters) -> parameters
                        .set("aggregate_type", aggregateType)
                        .set("from", from)
                        .set("to", to)
                        .set("actor", audit.actor())
                        .set("reason", audit.reason()),
                (results) -> {
                    ResultSet row = results.rows();
                    return row.next() ? Optional.of(new Result(row.getBoolean(1), row.getString(2))) : Optional.empty();
                });
    }
}
