package dev.outbox.internal.store;

import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliveryStatus;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads a delivery and its event from the first columns of a row, in the order of {@link #COLUMNS}. */
final class DeliveryRow {

    /** Columns of an event, of a table alias {@code o}. */
    static final String EVENT_COLUMNS =
            "o.id, o.event_id, o.stream, o.event_type, o.aggregate_type, o.aggregate_id, o.aggregate_seq, o.occurred_at";

    /** Columns of an event and of a delivery, of table aliases {@code o} and {@code d}. */
    static final String COLUMNS = EVENT_COLUMNS + """
            ,
                   d.handler_id, d.status, d.head, d.replay_id IS NOT NULL, d.created_at, d.next_retry_at,
                   d.attempt_count, d.retry_count, d.crash_count, d.last_attempt_at, d.last_error_code, d.last_error,
                   d.locked_by, d.locked_until""";

    /** Number of the first column after those of an event. */
    static final int AFTER_EVENT = 9;

    /** Number of the first column after all of them. */
    static final int NEXT_COLUMN = 23;

    private DeliveryRow() {}

    static Delivery read(ResultSet row) throws SQLException {
        String code = row.getString(19);
        String worker = row.getString(21);
        Instant leaseEnds = instant(row, 22);
        return new Delivery(
                event(row),
                row.getString(9),
                new Delivery.State(
                        DeliveryStatus.valueOf(row.getString(10)),
                        row.getBoolean(11),
                        row.getBoolean(12),
                        row.getObject(13, OffsetDateTime.class).toInstant(),
                        instant(row, 14)),
                new Delivery.Attempts(
                        row.getInt(15),
                        row.getInt(16),
                        row.getInt(17),
                        instant(row, 18),
                        code == null ? null : new Delivery.Failure(code, row.getString(20))),
                worker == null || leaseEnds == null ? null : new Delivery.Lease(worker, leaseEnds));
    }

    static Delivery.Event event(ResultSet row) throws SQLException {
        return new Delivery.Event(
                row.getLong(1),
                row.getObject(2, UUID.class),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                row.getString(6),
                row.getLong(7),
                row.getObject(8, OffsetDateTime.class).toInstant());
    }

    static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }
}
