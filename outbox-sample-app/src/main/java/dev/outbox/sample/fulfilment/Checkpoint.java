package dev.outbox.sample.fulfilment;

import dev.outbox.EventEnvelope;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Remembers the last event of each aggregate that was processed, and admits only the next one. The outbox delivers in order; this holds
 * where it does not see what is missing: an event that it has given up on, a producer with a gap in its numbers, another way in.
 */
@Component
final class Checkpoint {

    private static final String OPEN = """
            INSERT INTO fulfilment.aggregate_checkpoint (aggregate_type, aggregate_id, last_seq)
            VALUES (:aggregateType, :aggregateId, 0)
            ON CONFLICT (aggregate_type, aggregate_id) DO NOTHING
            """;

    /** Waits for whoever processes another event of this aggregate. */
    private static final String LOCK = """
            SELECT last_seq
              FROM fulfilment.aggregate_checkpoint
             WHERE aggregate_type = :aggregateType
               AND aggregate_id = :aggregateId
               FOR UPDATE
            """;

    private static final String ADVANCE = """
            UPDATE fulfilment.aggregate_checkpoint
               SET last_seq = :seq
             WHERE aggregate_type = :aggregateType
               AND aggregate_id = :aggregateId
            """;

    private final JdbcClient jdbc;

    Checkpoint(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /**
     * Admits an event in the transaction in which it is processed, so that both happen or neither does.
     *
     * @return whether to process the event; otherwise it was processed before
     * @throws OutOfOrderException if an event before it is missing: to be tried again
     */
    boolean admit(EventEnvelope event) {
        run(OPEN, event).update();
        long lastSeq = run(LOCK, event).query(Long.class).single();
        if (event.aggregateSeq() <= lastSeq) {
            return false;
        }
        if (event.aggregateSeq() > lastSeq + 1) {
            throw new OutOfOrderException(event, lastSeq);
        }
        run(ADVANCE, event).param("seq", event.aggregateSeq()).update();
        return true;
    }

    private JdbcClient.StatementSpec run(String sql, EventEnvelope event) {
        return jdbc.sql(sql).param("aggregateType", event.aggregateType()).param("aggregateId", event.aggregateId());
    }
}
