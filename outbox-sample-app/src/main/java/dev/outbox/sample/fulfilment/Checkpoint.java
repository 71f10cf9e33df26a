package dev.outbox.sample.fulfilment;

import dev.outbox.EventEnvelope;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Remembers the last processed event of each aggregate, and admits only the next one. The outbox delivers in order. The checkpoint also
 * detects what the outbox cannot see: dead events, gaps in the numbers of a producer, and events from other sources.
 */
@Component
final class Checkpoint {

    private static final String OPEN = """
            INSERT INTO fulfilment.aggregate_checkpoint (aggregate_type, aggregate_id, last_seq)
            VALUES (:aggregateType, :aggregateId, 0)
            ON CONFLICT (aggregate_type, aggregate_id) DO NOTHING
            """;

    /** Waits for a concurrent transaction that processes another event of the aggregate. */
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
    private final Counter duplicates;

    Checkpoint(JdbcClient jdbc, MeterRegistry meters) {
        this.jdbc = jdbc;
        this.duplicates = Counter.builder("sample.duplicates")
                .description("Events that a handler received again and did not process twice")
                .tag("handler", "fulfilment.order")
                .register(meters);
    }

    /**
     * Admits an event in the transaction in which it is processed, so that both happen or neither does.
     *
     * @return {@code false} if the event was already processed
     * @throws OutOfOrderException if an earlier event is missing, so that a retry may succeed
     */
    boolean admit(EventEnvelope event) {
        run(OPEN, event).update();
        long lastSeq = run(LOCK, event).query(Long.class).single();
        if (event.sequence() <= lastSeq) {
            duplicates.increment();
            return false;
        }
        if (event.sequence() > lastSeq + 1) {
            throw new OutOfOrderException(event, lastSeq);
        }
        run(ADVANCE, event).param("seq", event.sequence()).update();
        return true;
    }

    private JdbcClient.StatementSpec run(String sql, EventEnvelope event) {
        return jdbc.sql(sql).param("aggregateType", event.aggregateType()).param("aggregateId", event.aggregateId());
    }
}
