package dev.outbox.internal.lane;

import dev.outbox.EventEnvelope;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.failure.Failure;
import dev.outbox.internal.failure.Redaction;
import dev.outbox.internal.sql.EventRow;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Reads one claimed event, and tells an event that cannot be read from a database or a heap that could read none. */
public final class SingleEventStore {

    /** Relies on the primary keys of both partitions. */
    static final String SIZE = """
            SELECT octet_length(o.payload::text)
              FROM {schema}.outbox o
             WHERE o.id = :id
             LIMIT 1
            """;

    /** Relies on the primary keys of both partitions. */
    static final String EVENT = """
            SELECT {envelope}
              FROM {schema}.outbox o
             WHERE o.id = :id
             LIMIT 1
            """;

    private static final int MEGABYTE = 1 << 20;

    /** A heap that cannot take a payload of up to this size, which is small beside it, is full of other things. */
    public static final long SMALL = Math.min(8 * MEGABYTE, Runtime.getRuntime().maxMemory() / 64);

    private final DataSource dataSource;
    private final Pipeline size;
    private final Pipeline event;

    public SingleEventStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.size = new Pipeline(schema, SIZE);
        this.event = new Pipeline(schema, EVENT);
    }

    /** The event as it was read; or as it was claimed, without its payload, and why it cannot be read. */
    public record Read(EventEnvelope envelope, @Nullable Failure failure) {}

    /** Throws what no event has caused. */
    public Read read(EventEnvelope claimed) throws SQLException {
        long bytes = 0;
        try {
            bytes = size.run(
                    dataSource,
                    (parameters) -> parameters.set("id", claimed.id()),
                    (results) -> results.row().getLong(1));
            return new Read(
                    event.run(
                            dataSource,
                            (parameters) -> parameters.set("id", claimed.id()),
                            (results) -> EventRow.read(results.row(), claimed.replayed())),
                    null);
        } catch (SQLException | RuntimeException | Error ex) {
            if (!Causes.isUnreadable(ex) || (Causes.isOutOfMemory(ex) && bytes <= SMALL)) {
                throw ex;
            }
            return new Read(claimed, failure(ex, bytes));
        }
    }

    private static Failure failure(Throwable ex, long bytes) {
        return new Failure(
                Failure.UNREADABLE,
                Causes.isOutOfMemory(ex)
                        ? "its payload of " + bytes + " bytes does not fit into the heap of "
                                + Runtime.getRuntime().maxMemory() / MEGABYTE
                                + " MB; give the instances a larger one (-Xmx), then retry the delivery"
                        : "its row cannot be read (" + Redaction.message(ex)
                                + "); repair the row and retry the delivery, or skip it");
    }
}
