package dev.outbox.operations.internal.operate;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.retention.RetentionSettings;
import dev.outbox.testing.Guarantee;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Dead letters that the retention of a runtime with operations skips. */
class ExpiredDeadLettersTest {

    private static final Duration MONTH = Duration.ofDays(30);

    @RegisterExtension
    private final TestOutbox outbox =
            TestOutbox.create().retention(new RetentionSettings(MONTH, true, MONTH, null, MONTH, null, null, 2));

    private final Lanes lanes = new Lanes(outbox);

    @Test
    @Guarantee(value = "G8", sentence = "An expired dead letter is skipped, on record.")
    void skipsExpiredDeadLettersOnRecord() throws SQLException {
        Recorded ledger = Recorded.failing((attempt) -> new NonRetryableException("never"));
        outbox.handler(HandlerDefinition.of("ledger", Set.of("*"), ledger)).start();
        EventEnvelope expired = outbox.publish("1", new OrderPlaced(1));
        EventEnvelope young = outbox.publish("2", new OrderPlaced(1));
        await().until(() -> outbox.deadDeliveries() == 2);
        diedEarlier("31 days", expired);
        diedEarlier("29 days", young);

        outbox.runtime().retention().runOnce();

        assertThat(outbox.event(expired)).isPublished();
        assertThat(outbox.event(young)).isDead();
        assertThat(outbox.sql()
                        .sql(
                                "SELECT concat_ws('|', performed_by, action, reason, handler_id, previous_status, last_error, event_id)"
                                        + " FROM events.outbox_operation")
                        .query(String.class)
                        .list())
                .containsExactly("outbox|SKIP|dead for more than PT720H: outbox.retention.dead|ledger|DEAD|never|"
                        + expired.eventId());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE events.outbox_delivery SET report_at = now()",
                "UPDATE events.outbox_delivery SET failures = failures || jsonb_build_object('at', now())",
                "INSERT INTO events.outbox_replay (handler_id, rate, kind, deliveries, up_to_id, requested_by, reason)"
                        + " VALUES ('mail', 10, 'RETRY', '{}', 100, 'ann', 'the cause is corrected')"
            })
    void deadLetterThatIsReportedRetriedOrYoungAgainStays(String change) throws SQLException {
        EventEnvelope event = outbox.publishOrders("1", 1).get(0);
        lanes.dead("mail", event);
        diedEarlier("31 days", event);
        outbox.sql().sql(change).update();

        outbox.runtime().retention().runOnce();

        assertThat(outbox.deliveries()).isEqualTo(1);
        assertThat(outbox.operations()).isZero();
    }

    @Test
    void deadLetterThatBlocksItsLaneStays() throws SQLException {
        EventEnvelope event = outbox.publishOrders("1", 1).get(0);
        lanes.blocking("mail", event);
        diedEarlier("31 days", event);

        outbox.runtime().retention().runOnce();

        assertThat(outbox.count("events.outbox_delivery WHERE status = 'BLOCKING'"))
                .isEqualTo(1);
    }

    @Test
    void deadLetterThatPostgresRefusesToMoveStopsNoOther() throws SQLException {
        EventEnvelope refused = outbox.publishOrders("1", 1).get(0);
        EventEnvelope other = outbox.publishOrders("2", 1).get(0);
        for (EventEnvelope event : List.of(refused, other)) {
            lanes.dead("mail", event);
            diedEarlier("31 days", event);
        }
        outbox.sql()
                .sql("CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS"
                        + " $$ BEGIN RAISE EXCEPTION 'not this one' USING ERRCODE = 'check_violation'; END $$")
                .update();
        outbox.sql()
                .sql("CREATE TRIGGER refuse BEFORE INSERT ON events.outbox_published FOR EACH ROW WHEN (NEW.id = "
                        + refused.id() + ") EXECUTE FUNCTION refuse()")
                .update();

        outbox.runtime().retention().runOnce();

        assertThat(outbox.event(refused)).isDead();
        assertThat(outbox.event(other)).isPublished();
    }

    private void diedEarlier(String by, EventEnvelope event) {
        outbox.sql()
                .sql(
                        "UPDATE events.outbox_delivery d SET created_at = created_at - :by::interval, open_since = open_since - :by::interval,"
                                + " failures = coalesce((SELECT jsonb_agg(f || jsonb_build_object('at', (f ->> 'at')::timestamptz - :by::interval))"
                                + " FROM jsonb_array_elements(d.failures) f), '[]') WHERE d.outbox_id = :event")
                .param("by", by)
                .param("event", event.id())
                .update();
    }
}
