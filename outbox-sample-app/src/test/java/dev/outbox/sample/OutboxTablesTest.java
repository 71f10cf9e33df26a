package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The columns, constraints and indexes that the documents ask for, in the database of the service. */
@SampleTest
class OutboxTablesTest {

    @Autowired
    private JdbcClient jdbc;

    @ParameterizedTest
    @CsvSource({
        "outbox, id, bigint, NO",
        "outbox, event_id, uuid, NO",
        "outbox, stream, text, NO",
        "outbox, aggregate_type, text, NO",
        "outbox, aggregate_id, text, NO",
        "outbox, aggregate_seq, bigint, NO",
        "outbox, event_type, text, NO",
        "outbox, payload, jsonb, NO",
        "outbox, occurred_at, timestamp with time zone, NO",
        "outbox, published_at, timestamp with time zone, YES",
        "outbox, status, text, NO",
        "outbox, attempt_count, integer, NO",
        "outbox, retry_count, integer, NO",
        "outbox, next_retry_at, timestamp with time zone, YES",
        "outbox, last_attempt_at, timestamp with time zone, YES",
        "outbox, last_error_code, text, YES",
        "outbox, last_error, text, YES",
        "outbox_status, locked_by, text, YES",
        "outbox_status, locked_until, timestamp with time zone, YES",
        "outbox_status, publish_attempt, integer, YES",
        "outbox_status, last_attempt_at, timestamp with time zone, YES",
        "outbox_status, created_at, timestamp with time zone, YES",
        "outbox_status, updated_at, timestamp with time zone, YES",
        "outbox_claim, worker, text, NO",
        "outbox_claim, claimed_at, timestamp with time zone, NO",
        "outbox_claim, locked_until, timestamp with time zone, NO",
        "processed_event, event_id, uuid, NO",
        "processed_event, processed_at, timestamp with time zone, NO"
    })
    void columnIsThere(String table, String column, String type, String nullable) {
        assertThat(jdbc.sql("""
                        SELECT data_type, is_nullable
                          FROM information_schema.columns
                         WHERE table_schema = 'events'
                           AND table_name = :table
                           AND column_name = :column
                        """)
                        .param("table", table)
                        .param("column", column)
                        .query(Column.class)
                        .optional())
                .contains(new Column(type, nullable));
    }

    @ParameterizedTest
    @CsvSource({
        "outbox_unpublished_pending, '(stream, id)'",
        "outbox_lane_due, 'due_at'",
        "outbox_unpublished_event_id, '(event_id)'",
        "outbox_unpublished_aggregate, '(aggregate_type, aggregate_id, aggregate_seq)'"
    })
    void indexIsThere(String index, String columns) {
        List<String> found = jdbc.sql(
                        "SELECT indexdef FROM pg_indexes WHERE schemaname = 'events' AND indexname = :index")
                .param("index", index)
                .query(String.class)
                .list();

        assertThat(found).singleElement().asString().contains(columns);
    }

    @Test
    void eventIdAndSequenceAreUnique() {
        UUID eventId = UUID.randomUUID();
        insert(eventId, 1);

        assertThatThrownBy(() -> insert(eventId, 2)).isInstanceOf(DuplicateKeyException.class);
        assertThatThrownBy(() -> insert(UUID.randomUUID(), 1)).isInstanceOf(DuplicateKeyException.class);
    }

    /** Inserts into a stream without a poller. */
    private void insert(UUID eventId, long seq) {
        jdbc.sql("""
                        INSERT INTO events.outbox (event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, payload)
                        VALUES (:eventId, 'unpolled', 'table', :aggregateId, :seq, 'RowInserted', '{}')
                        """)
                .param("eventId", eventId)
                .param("aggregateId", "of " + getClass().getName())
                .param("seq", seq)
                .update();
    }

    record Column(String dataType, String isNullable) {}
}
