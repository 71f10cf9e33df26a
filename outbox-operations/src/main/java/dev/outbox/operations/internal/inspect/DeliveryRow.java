package dev.outbox.operations.internal.inspect;

import dev.outbox.internal.sql.Counted;
import dev.outbox.operations.Count;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliveryStatus;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads a delivery, its event and its lane from the first columns of a row. */
public final class DeliveryRow {

    /** Columns of an event, of a table alias {@code o}. */
    public static final String EVENT_COLUMNS =
            "o.id, o.event_id, o.stream, o.event_type, o.aggregate_type, o.aggregate_id, o.aggregate_seq, o.occurred_at";

    /** Index of the first column after the event. */
    public static final int AFTER_EVENT = 9;

    /**
     * Relies on the primary keys of both partitions, since the event may be in history, outbox_lane_pk and outbox_claim_pk: one look-up for each
     * delivery, where a join would read whole tables.
     */
    private static final String SELECT = """
            SELECT {event}, d.handler_id, d.status, coalesce(l.first_seq = d.aggregate_seq, false), d.replay_id IS NOT NULL,
                   d.created_at, nullif(d.next_retry_at, 'infinity'), d.attempt_count, d.retry_count,
                   CASE WHEN l.first_seq = d.aggregate_seq THEN l.crash_count ELSE 0 END,
                   d.last_attempt_at, d.last_error_code, d.last_error, c.worker, c.leased_until, d.failures::text
              FROM ({deliveries}) d
             CROSS JOIN LATERAL (SELECT {event} FROM {schema}.outbox o WHERE o.id = d.outbox_id LIMIT 1) o
              LEFT JOIN LATERAL (SELECT l.first_seq, l.crash_count, l.claim_id
                                   FROM {schema}.outbox_lane l
                                  WHERE l.aggregate_type = d.aggregate_type
                                    AND l.aggregate_id = d.aggregate_id
                                    AND l.handler_id = d.handler_id
                                    AND d.status <> 'DEAD'
                                  LIMIT 1) l ON true
              LEFT JOIN LATERAL (SELECT c.worker, nullif(c.locked_until, '-infinity') AS leased_until
                                   FROM {schema}.outbox_claim c
                                  WHERE c.id = l.claim_id
                                    AND d.status = 'OPEN'
                                  LIMIT 1) c ON true
            """.replace("{event}", EVENT_COLUMNS);

    private DeliveryRow() {}

    /** Returns a query on deliveries that a query selects. */
    public static String select(String deliveries) {
        return SELECT.replace("{deliveries}", deliveries);
    }

    public static Delivery read(ResultSet row) throws SQLException {
        String code = row.getString(19);
        String worker = row.getString(21);
        Instant leaseEnds = instant(row, 22);
        return new Delivery(
                event(row),
                row.getString(9),
                new Delivery.State(
                        status(row.getString(10)),
                        row.getBoolean(11),
                        row.getBoolean(12),
                        row.getObject(13, OffsetDateTime.class).toInstant(),
                        instant(row, 14)),
                new Delivery.Attempts(
                        row.getInt(15),
                        row.getInt(16),
                        row.getInt(17),
                        instant(row, 18),
                        code == null ? null : new Delivery.Failure(code, row.getString(20)),
                        FailedAttemptsJson.read(row.getString(23))),
                worker == null || leaseEnds == null ? null : new Delivery.Lease(worker, leaseEnds));
    }

    /** Returns a stored status; a dead letter that blocks its lane has one of its own. */
    static DeliveryStatus status(String stored) {
        return stored.equals("OPEN") ? DeliveryStatus.OPEN : DeliveryStatus.DEAD;
    }

    public static Delivery.Event event(ResultSet row) throws SQLException {
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

    /** Returns a count of the core as one of the API. */
    public static Count count(Counted counted) {
        return new Count(counted.value(), counted.exact());
    }

    public static @Nullable Instant instant(ResultSet row, int column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }
}
