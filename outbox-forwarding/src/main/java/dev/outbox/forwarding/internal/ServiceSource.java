package dev.outbox.forwarding.internal;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.internal.sql.OutboxSchema;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Source of the events of this service. The first process that forwards stores it like the origin of an aggregate type, and every other one
 * compares its own: consumers would refuse events of a second source.
 */
public final class ServiceSource {

    /** Aggregate type without events, whose origin is the source. An operator changes it like any other. */
    public static final String TYPE = "outbox.forwarding.source";

    /** Relies on outbox_aggregate_type_pk. */
    private static final String STORE = """
            INSERT INTO {schema}.outbox_aggregate_type (aggregate_type, counted, origin)
            VALUES (:type, false, :source)
            ON CONFLICT (aggregate_type) DO NOTHING
            """;

    /** Relies on outbox_aggregate_type_pk. */
    private static final String FIND = """
            SELECT t.origin
              FROM {schema}.outbox_aggregate_type t
             WHERE t.aggregate_type = :type
            """;

    private final String source;
    private final JdbcClient client;
    private final OutboxSchema schema;
    private volatile boolean equal;

    public ServiceSource(String source, DataSource dataSource, OutboxSchema schema) {
        this.source = source;
        this.client = JdbcClient.create(dataSource);
        this.schema = schema;
    }

    /** Throws an exception if the processes of this service have stored another source. Asks the database until they are equal. */
    public void require() {
        if (equal) {
            return;
        }
        client.sql(render(STORE)).param("type", TYPE).param("source", source).update();
        String stored =
                client.sql(render(FIND)).param("type", TYPE).query(String.class).single();
        if (!stored.equals(source)) {
            throw new OutboxConfigurationException(
                    "outbox.forwarding.source is " + source + ", but this service forwards its events as "
                            + stored + ", and consumers would refuse those of a second source. Set " + stored
                            + " in every process; if the service is renamed, run before: UPDATE "
                            + schema.quoted() + ".outbox_aggregate_type SET origin = '" + source + "' WHERE origin = '"
                            + stored + "'");
        }
        equal = true;
    }

    private String render(String sql) {
        return sql.replace("{schema}", schema.quoted());
    }
}
