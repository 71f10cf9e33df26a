package dev.outbox.internal.claim;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import dev.outbox.EventEnvelope;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.testing.Guarantee;
import dev.outbox.testing.TestPostgres;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A stream does not stop for an event whose outcome PostgreSQL refuses. */
@Tag("full")
class RefusedSettlementTest {

    private final HikariConfig pool = new HikariConfig();
    private final Recorded handler = Recorded.all();
    private TestOutbox outbox;

    @AfterEach
    void close() {
        if (outbox != null) {
            outbox.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"false, false", "false, true", "true, false", "true, true"})
    @Guarantee(
            value = "G2",
            sentence = "An outcome that PostgreSQL refuses becomes a dead letter and does not stop the stream.")
    void refusedOutcomeBecomesDeadLetterWithoutStoppingStream(boolean byTrigger, boolean retried) {
        Recorded mail =
                Recorded.failing((attempt) -> retried && attempt.number() == 1 ? new IOException("try again") : null);
        outbox = TestOutbox.create().handler("mail", "*", mail).retry(TestOutbox.AT_ONCE);
        EventEnvelope refused = outbox.publish("a", new OrderPlaced(1));
        EventEnvelope later = outbox.publish("a", new OrderPlaced(2));
        EventEnvelope other = outbox.publish("b", new OrderPlaced(3));
        if (byTrigger) {
            refuseByTrigger(refused);
        } else {
            occupyHistory(refused);
        }
        outbox.start();

        awaitStatus(other, "PUBLISHED");
        awaitStatus(later, "PUBLISHED");
        awaitStatus(refused, "DEAD");
        assertThat(outbox.event(refused)).hasDelivery("mail").withErrorCode("SETTLEMENT_REFUSED");
        assertThat(mail.attemptsOf(refused)).isEqualTo(retried ? 2 : 1);
    }

    /** With an error code of its own. */
    private void refuseByTrigger(EventEnvelope envelope) {
        outbox.update("""
                        CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                        $$ BEGIN RAISE EXCEPTION 'not this one' USING ERRCODE = 'MY001'; END $$
                        """);
        outbox.update("CREATE TRIGGER refuse BEFORE INSERT ON events.outbox_published FOR EACH ROW WHEN (NEW.id = "
                + envelope.id() + ") EXECUTE FUNCTION refuse()");
    }

    @Test
    void eventWithoutHandlersHoldsUpItsAggregateOnly() {
        outbox = TestOutbox.create().handler("mail", "OrderPlaced", handler);
        EventEnvelope refused = outbox.publish("a", new Unrouted(1));
        outbox.publish("a", new OrderPlaced(2));
        EventEnvelope other = outbox.publish("b", new OrderPlaced(3));
        occupyHistory(refused);
        outbox.start();

        awaitStatus(other, "PUBLISHED");
        assertThat(status(refused)).isEqualTo("PENDING");
        EventEnvelope next = outbox.publish("b", new OrderPlaced(4));
        awaitStatus(next, "PUBLISHED");

        outbox.update("DELETE FROM events.outbox_published WHERE event_type = 'Occupied'");
        awaitStatus(refused, "PUBLISHED");
    }

    /** The first claim after a crash of PostgreSQL finds no incarnation, and waits for longer than the timeout. */
    @ParameterizedTest
    @ValueSource(strings = {"statement_timeout", "transaction_timeout"})
    void timeoutOfTheRoleRefusesNeitherClaimAfterCrashNorSettlement(String timeout) {
        assumeThat(knows(timeout)).as("the server knows %s", timeout).isTrue();
        pool.setConnectionInitSql("SET " + timeout + " = 200");
        outbox = TestOutbox.create(pool).handler("mail", "*", handler);
        outbox.update("DELETE FROM events.outbox_incarnation");
        // The sleep is no wait: the settlement itself must take longer than the timeout.
        outbox.update("""
                        CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
                        $$ BEGIN PERFORM pg_sleep(0.4); RETURN NULL; END $$
                        """);
        outbox.update(
                "CREATE TRIGGER slow AFTER INSERT ON events.outbox_published FOR EACH STATEMENT EXECUTE FUNCTION slow()");
        outbox.start();

        try (TestOutbox publisher = outbox.another()) {
            awaitStatus(publisher.publish("a", new OrderPlaced(1)), "PUBLISHED");
        }
    }

    /** PostgreSQL knows transaction_timeout since version 17. */
    private static boolean knows(String setting) {
        return !setting.equals("transaction_timeout") || TestPostgres.shared().majorVersion() >= 17;
    }

    record Unrouted(int number) {}

    /** Another row of history has the id, as after a restore that went wrong. */
    private void occupyHistory(EventEnvelope envelope) {
        outbox.update("""
                        INSERT INTO events.outbox_published
                               (id, aggregate_type, aggregate_id, aggregate_seq, event_type, payload, status, dispatched_at, published_at)
                        VALUES (?, 'order', 'other', 1, 'Occupied', '{}', 'PUBLISHED', now(), now())
                        """, envelope.id());
    }

    private void awaitStatus(EventEnvelope envelope, String status) {
        await().atMost(Duration.ofSeconds(20)).until(() -> status(envelope).equals(status));
    }

    private String status(EventEnvelope envelope) {
        List<String> found = outbox.values(
                String.class,
                "SELECT CASE WHEN published_at IS NULL THEN status ELSE 'PUBLISHED' END FROM events.outbox WHERE event_id = ?",
                envelope.eventId());
        return found.size() == 1 ? found.get(0) : found.toString();
    }
}
