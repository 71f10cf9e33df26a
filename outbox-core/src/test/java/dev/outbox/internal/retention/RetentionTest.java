package dev.outbox.internal.retention;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.testing.Guarantee;
import dev.outbox.testing.OpenTransaction;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetentionTest {

    private static final Duration MONTH = Duration.ofDays(30);

    private final TestOutbox outbox = TestOutbox.create();

    @AfterEach
    void close() {
        outbox.close();
    }

    @Test
    void archivesPublishedEventsOnceAfterRetention() throws SQLException {
        publishPublished(25);
        age("30 days 1 second", "id <= 15");
        Retention retention = retention(new RetentionSettings(MONTH, true, MONTH, 4));

        assertThat(retention.runOnce()).isEqualTo(15);
        assertThat(retention.runOnce()).isZero();
        assertThat(outbox.count("events.outbox")).isEqualTo(10);
        assertThat(outbox.sql()
                        .sql("SELECT aggregate_seq FROM audit.events ORDER BY aggregate_seq")
                        .query(Integer.class)
                        .list())
                .hasSize(15)
                .doesNotHaveDuplicates();
        assertThat(outbox.count("audit.events WHERE payload IS NOT NULL AND published_at < archived_at"))
                .isEqualTo(15);
    }

    @Test
    void archivesEventOnceThatAnotherProgramArchived() throws SQLException {
        publishPublished(1);
        age("31 days", "true");
        outbox.sql().sql("""
                INSERT INTO audit.events (outbox_event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type,
                                          schema_version, payload, headers, occurred_at, published_at, retry_count)
                SELECT event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version, payload,
                       headers, occurred_at, published_at, retry_count
                  FROM events.outbox
                """).update();

        assertThat(retention(RetentionSettings.defaults()).runOnce()).isEqualTo(1);
        assertThat(outbox.count("audit.events")).isEqualTo(1);
        assertThat(outbox.count("events.outbox")).isZero();
    }

    @Test
    void deletesEventsWithoutArchive() throws SQLException {
        publishPublished(3);
        age("31 days", "true");

        assertThat(retention(new RetentionSettings(MONTH, false, MONTH, 1000)).runOnce())
                .isEqualTo(3);
        assertThat(outbox.count("audit.events")).isZero();
        assertThat(outbox.count("events.outbox")).isZero();
    }

    @Test
    @Guarantee(value = "G8", sentence = "Retention never archives or deletes dead and unfinished events.")
    void deadAndUnfinishedEventsStay() throws SQLException {
        outbox.handler(
                        "any",
                        "*",
                        Recorded.failing(
                                (attempt) -> attempt.envelope().aggregateId().equals("dead")
                                        ? new NonRetryableException("never")
                                        : new Exception("later")))
                .start();
        outbox.publish("dead", new OrderPlaced(1));
        outbox.publish("retrying", new OrderPlaced(1));
        await().until(() -> outbox.sql()
                .sql("SELECT string_agg(status, ',' ORDER BY id) FROM events.outbox")
                .query(String.class)
                .single()
                .equals("DEAD,RETRYING"));

        assertThat(retention(new RetentionSettings(Duration.ZERO, true, MONTH, 1000))
                        .runOnce())
                .isZero();
        assertThat(outbox.count("events.outbox")).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"OPEN", "BLOCKING", "DEAD"})
    @Guarantee(value = "G8", sentence = "Retention keeps published events that still have an open or dead delivery.")
    void publishedEventStaysUntilItsDeliveriesEnd(String status) throws SQLException {
        publishPublished(3);
        age("31 days", "true");
        outbox.sql()
                .sql("INSERT INTO events.outbox_delivery (outbox_id, handler_id, stream, aggregate_type, aggregate_id,"
                        + " aggregate_seq, event_type, status, next_retry_at, replay_id)"
                        + " SELECT id, 'elsewhere', stream, aggregate_type, aggregate_id, aggregate_seq, event_type, :status,"
                        + " CASE :status WHEN 'OPEN' THEN now() WHEN 'BLOCKING' THEN 'infinity' END, 1 FROM events.outbox_published"
                        + " WHERE aggregate_seq = 2")
                .param("status", status)
                .update();
        Retention retention = retention(new RetentionSettings(MONTH, true, MONTH, 1));

        assertThat(retention.runOnce()).isEqualTo(2);
        assertThat(outbox.sql()
                        .sql("SELECT aggregate_seq FROM events.outbox")
                        .query(Integer.class)
                        .list())
                .containsExactly(2);
        outbox.sql().sql("DELETE FROM events.outbox_delivery").update();
        assertThat(retention.runOnce()).isEqualTo(1);
        assertThat(outbox.count("audit.events")).isEqualTo(3);
    }

    @Test
    void oneInstanceWorksAtATime() throws SQLException {
        publishPublished(3);
        age("31 days", "true");
        Retention retention = retention(RetentionSettings.defaults());
        try (OpenTransaction other = OpenTransaction.of(outbox.owner())) {
            other.run("SELECT pg_advisory_xact_lock(hashtextextended('outbox retention of \"events\"', 0))");
            assertThat(retention.runOnce()).isZero();
        }
        assertThat(retention.runOnce()).isEqualTo(3);
    }

    @Test
    void deletesExpiredDeduplicationRecords() throws SQLException {
        noteProcessed(25, "31 days");
        noteProcessed(2, "29 days");

        assertThat(retention(new RetentionSettings(MONTH, true, MONTH, 4)).runOnce())
                .isZero();
        assertThat(outbox.count("events.processed_event")).isEqualTo(2);
    }

    @Test
    void keepsProcessedEventsWhileTheyMayBeRedelivered() throws SQLException {
        outbox.handler(HandlerDefinition.of("once", Set.of("*"), (envelope) -> {})
                        .deduplicating())
                .handler("failing", "*", (envelope) -> {
                    throw new NonRetryableException("never");
                })
                .start();
        EventEnvelope dead = outbox.publish("1", new OrderPlaced(1));
        assertThat(outbox.event(dead)).becomesDead();
        outbox.sql()
                .sql("UPDATE events.processed_event SET processed_at = now() - interval '1 year'")
                .update();

        retention(RetentionSettings.defaults()).runOnce();
        assertThat(outbox.count("events.processed_event")).isEqualTo(1);
    }

    @Test
    void oneInstanceRemovesProcessedEventsAtATime() throws SQLException {
        noteProcessed(3, "31 days");
        Retention retention = retention(RetentionSettings.defaults());
        try (OpenTransaction other = OpenTransaction.of(outbox.owner())) {
            other.run("SELECT pg_advisory_xact_lock(hashtextextended('outbox retention of \"events\"', 0))");
            retention.runOnce();
            assertThat(outbox.count("events.processed_event")).isEqualTo(3);
        }
        retention.runOnce();
        assertThat(outbox.count("events.processed_event")).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void scheduleDecidesWhenItRuns(boolean due) {
        publishPublished(2);
        age("31 days", "true");
        List<Instant> asked = new CopyOnWriteArrayList<>();
        Instant begun = Instant.now();
        UnaryOperator<Instant> schedule = (after) -> {
            asked.add(after);
            return asked.size() == 1 && due ? begun.minusSeconds(1) : after.plus(Duration.ofDays(1));
        };
        try (Retention retention = new Retention(
                RetentionSettings.defaults(),
                outbox.dataSource(),
                OutboxSchema.DEFAULT,
                OutboxSchema.DEFAULT_ARCHIVE,
                Clock.systemUTC(),
                schedule)) {
            retention.start();
            if (due) {
                await().until(() -> outbox.count("audit.events") == 2);
            } else {
                await().during(Duration.ofMillis(300)).until(() -> outbox.count("audit.events") == 0);
            }
            await().until(() -> asked.size() == (due ? 2 : 1));
        }
    }

    private Retention retention(RetentionSettings settings) {
        return new Retention(
                settings,
                outbox.dataSource(),
                OutboxSchema.DEFAULT,
                OutboxSchema.DEFAULT_ARCHIVE,
                Clock.systemUTC(),
                null);
    }

    private void publishPublished(int count) {
        outbox.handler("any", "*", (envelope) -> {}).start();
        for (int i = 0; i < count; i++) {
            outbox.publish("1", new OrderPlaced(i));
        }
        await().until(() -> outbox.count("events.outbox_published") == count);
    }

    private void noteProcessed(int count, String age) {
        outbox.sql()
                .sql("INSERT INTO events.processed_event (event_id, handler_id, processed_at)"
                        + " SELECT gen_random_uuid(), 'once', now() - interval '" + age
                        + "' FROM generate_series(1, " + count + ")")
                .update();
    }

    private void age(String age, String which) {
        outbox.sql()
                .sql("UPDATE events.outbox SET published_at = now() - interval '" + age + "' WHERE " + which)
                .update();
    }
}
