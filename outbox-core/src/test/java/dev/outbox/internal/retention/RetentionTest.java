package dev.outbox.internal.retention;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.MigratedDatabases;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetentionTest {

    private static final Duration MONTH = Duration.ofDays(30);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void archivesPublishedEventsOnceAfterRetention() throws SQLException {
        publishPublished(25);
        age("30 days 1 second", "id <= 15");
        Retention retention = retention(new RetentionSettings(MONTH, true, MONTH, 4));

        assertThat(retention.runOnce()).isEqualTo(15);
        assertThat(retention.runOnce()).isZero();
        assertThat(outbox.events()).isEqualTo(10);
        assertThat(outbox.values(Integer.class, "SELECT aggregate_seq FROM audit.events ORDER BY aggregate_seq"))
                .hasSize(15)
                .doesNotHaveDuplicates();
        assertThat(outbox.count("audit.events WHERE payload IS NOT NULL AND published_at < archived_at"))
                .isEqualTo(15);
    }

    @Test
    void archivesEverythingWhenStartedAgain() throws SQLException {
        publishPublished(3);
        age("31 days", "true");
        Retention retention = retention(new RetentionSettings(MONTH, true, MONTH, 1));
        retention.start();
        retention.close();
        retention.start();

        assertThat(retention.runOnce()).isEqualTo(3);
        retention.close();
    }

    @Test
    void archivesEventOnceThatAnotherProgramArchived() throws SQLException {
        publishPublished(1);
        age("31 days", "true");
        outbox.update("""
                INSERT INTO audit.events (outbox_event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type,
                                          schema_version, payload, headers, occurred_at, published_at, retry_count)
                SELECT event_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, schema_version, payload,
                       headers, occurred_at, published_at, retry_count
                  FROM events.outbox
                """);

        assertThat(retention(new RetentionSettings(MONTH, true, MONTH, 1000)).runOnce())
                .isEqualTo(1);
        assertThat(outbox.count("audit.events")).isEqualTo(1);
        assertThat(outbox.events()).isZero();
    }

    @Test
    void deletesEventsWithoutArchive() throws SQLException {
        publishPublished(3);
        age("31 days", "true");

        assertThat(retention(new RetentionSettings(MONTH, false, MONTH, 1000)).runOnce())
                .isEqualTo(3);
        assertThat(outbox.count("audit.events")).isZero();
        assertThat(outbox.events()).isZero();
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
        await().until(() -> outbox.value(String.class, "SELECT string_agg(status, ',' ORDER BY id) FROM events.outbox")
                .equals("DEAD,RETRYING"));

        assertThat(retention(new RetentionSettings(Duration.ZERO, true, MONTH, 1000))
                        .runOnce())
                .isZero();
        assertThat(outbox.events()).isEqualTo(2);
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
        assertThat(outbox.values(Integer.class, "SELECT aggregate_seq FROM events.outbox"))
                .containsExactly(2);
        outbox.update("DELETE FROM events.outbox_delivery");
        assertThat(retention.runOnce()).isEqualTo(1);
        assertThat(outbox.count("audit.events")).isEqualTo(3);
    }

    @Test
    void oneInstanceWorksAtATime() throws SQLException {
        publishPublished(3);
        age("31 days", "true");
        Retention retention = retention(new RetentionSettings(MONTH, true, MONTH, 1000));
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
        assertThat(outbox.deduplicated()).isEqualTo(2);
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
        outbox.update("UPDATE events.processed_event SET processed_at = now() - interval '1 year'");

        retention(new RetentionSettings(MONTH, true, MONTH, 1000)).runOnce();
        assertThat(outbox.deduplicated()).isEqualTo(1);
    }

    @Test
    void oneInstanceRemovesProcessedEventsAtATime() throws SQLException {
        noteProcessed(3, "31 days");
        Retention retention = retention(new RetentionSettings(MONTH, true, MONTH, 1000));
        try (OpenTransaction other = OpenTransaction.of(outbox.owner())) {
            other.run(
                    "SELECT pg_advisory_xact_lock(hashtextextended('outbox retention of \"events\".processed_event', 0))");
            retention.runOnce();
            assertThat(outbox.deduplicated()).isEqualTo(3);
        }
        retention.runOnce();
        assertThat(outbox.deduplicated()).isZero();
    }

    @Test
    void stepThatFailsStopsNoOther() throws SQLException {
        outbox.update("INSERT INTO events.outbox_operation (performed_by, action, reason, performed_at)"
                + " VALUES ('ann', 'PAUSE_STREAM', 'old', now() - interval '31 days')");
        noteProcessed(1, "31 days");
        outbox.update("ALTER TABLE events.processed_event RENAME TO away");

        assertThatThrownBy(() -> keeping(null, MONTH, null).runOnce()).isInstanceOf(SQLException.class);

        assertThat(outbox.operations()).isZero();
    }

    @Test
    void processedEventOfAReplayedDeliveryStays() throws SQLException {
        publishPublished(2);
        age("31 days", "true");
        outbox.update("INSERT INTO events.processed_event (event_id, handler_id, processed_at)"
                + " SELECT event_id, 'elsewhere', now() - interval '31 days' FROM events.outbox_published");
        outbox.update("INSERT INTO events.outbox_delivery (outbox_id, handler_id, stream, aggregate_type, aggregate_id,"
                + " aggregate_seq, event_type, status, next_retry_at, replay_id)"
                + " SELECT id, 'elsewhere', stream, aggregate_type, aggregate_id, aggregate_seq, event_type, 'OPEN', now(), 1"
                + " FROM events.outbox_published WHERE aggregate_seq = 2");

        retention(new RetentionSettings(MONTH, true, MONTH, 1000)).runOnce();

        assertThat(outbox.deduplicated()).isEqualTo(1);
    }

    @Test
    void removesOldOperationsOfFormerEvents() throws SQLException {
        EventEnvelope present = outbox.publish("1", new OrderPlaced(1));
        outbox.update("""
                INSERT INTO events.outbox_stream (stream, paused_until) VALUES ('held', 'infinity'), ('resumed', '-infinity')
                """);
        outbox.sql().sql("""
                INSERT INTO events.outbox_operation (performed_by, action, reason, stream, event_id, performed_at)
                VALUES ('ann', 'SKIP', 'present', 'default', :present, now() - interval '31 days'),
                       ('ann', 'PAUSE_STREAM', 'in force', 'held', NULL, now() - interval '31 days'),
                       ('ann', 'PAUSE_STREAM', 'over', 'resumed', NULL, now() - interval '31 days'),
                       ('ann', 'SKIP', 'former', 'default', gen_random_uuid(), now() - interval '31 days'),
                       ('ann', 'SKIP', 'young', 'default', gen_random_uuid(), now() - interval '29 days')
                """).param("present", present.eventId()).update();

        keeping(null, MONTH, null).runOnce();
        assertThat(outbox.values(String.class, "SELECT reason FROM events.outbox_operation ORDER BY id"))
                .containsExactly("present", "in force", "young");
    }

    @Test
    void removesOldReplaysThatAreOver() throws SQLException {
        outbox.update("""
                INSERT INTO events.outbox_replay (handler_id, rate, up_to_id, requested_by, reason, created_at, finished_at)
                SELECT 'mail', 1, 1, 'ann', r.reason, now() - interval '32 days', now() - r.age::interval
                  FROM (VALUES ('over', '31 days'), ('running', NULL), ('delivering', '31 days'), ('young', '29 days'),
                               ('over', '31 days')) r (reason, age)
                """);
        Lanes lanes = new Lanes(outbox);
        lanes.dead("mail", outbox.publishOrders("1", 1).get(0));
        outbox.update(
                "UPDATE events.outbox_delivery d SET replay_id = r.id FROM events.outbox_replay r WHERE r.reason = 'delivering'");

        keeping(null, null, MONTH).runOnce();
        assertThat(outbox.values(String.class, "SELECT reason FROM events.outbox_replay ORDER BY id"))
                .containsExactly("running", "delivering", "young");
    }

    @Test
    void removesOldRowsOfTheArchive() throws SQLException {
        publishPublished(5);
        age("31 days", "true");
        retention(new RetentionSettings(MONTH, true, MONTH, 1000)).runOnce();
        outbox.update("UPDATE audit.events SET archived_at = now() - interval '31 days' WHERE aggregate_seq <= 3");

        keeping(MONTH, null, null).runOnce();
        assertThat(outbox.values(String.class, "SELECT aggregate_seq::text FROM audit.events ORDER BY id"))
                .containsExactly("4", "5");
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
                new RetentionSettings(MONTH, true, MONTH, 1000),
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

    /** With the grants for these that the script names, and pages of two rows. */
    private Retention keeping(Duration archived, Duration operations, Duration replays) {
        MigratedDatabases.grants()
                .lines()
                .filter((line) -> line.matches("-- +GRANT .* TO shop_worker;"))
                .forEach((line) ->
                        outbox.update(line.replaceFirst("-- +", "").replace("shop_worker;", "outbox_worker")));
        return new Retention(
                new RetentionSettings(MONTH, true, MONTH, archived, null, operations, replays, 2),
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
        outbox.awaitPublished(count);
    }

    private void noteProcessed(int count, String age) {
        outbox.update("INSERT INTO events.processed_event (event_id, handler_id, processed_at)"
                + " SELECT gen_random_uuid(), 'once', now() - interval '" + age
                + "' FROM generate_series(1, " + count + ")");
    }

    private void age(String age, String which) {
        outbox.update("UPDATE events.outbox SET published_at = now() - interval '" + age + "' WHERE " + which);
    }
}
