package dev.outbox.operations.internal.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.retention.RetentionSteps;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.fixture.Operator;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The view of every event, and what the archive keeps of it. */
class StatusViewTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final Lanes lanes = new Lanes(outbox);

    @Test
    void runningAttemptShowsItsClaim() {
        Semaphore attempts = new Semaphore(0);
        outbox.handler("mail", "*", (envelope) -> {
                    attempts.acquire();
                    throw new IOException("later");
                })
                .retry(TestOutbox.AT_ONCE)
                .start();
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));

        await().until(() -> row(event).status().equals("PROCESSING"));
        assertClaimed(row(event));
        assertThat(row(event).attemptCount()).isZero();
        assertThat(row(event).publishAttempt()).isEqualTo(1);
        Instant firstClaim = row(event).claimedAt();
        assertThat(firstClaim)
                .isEqualTo(row(event).lastAttemptAt())
                .isEqualTo(row(event).updatedAt());

        attempts.release();
        await().until(() -> {
            Row now = row(event);
            return now.status().equals("PROCESSING") && now.attemptCount() == 1;
        });
        assertClaimed(row(event));
        assertThat(row(event).publishAttempt()).isEqualTo(2);
        assertThat(row(event).claimedAt())
                .isAfter(firstClaim)
                .isEqualTo(row(event).lastAttemptAt());

        attempts.release(2);
        await().until(() -> row(event).status().equals("DEAD"));
        assertThat(row(event).claimedAt()).isNull();
        assertThat(row(event).lockedUntil()).isNull();
        assertThat(row(event).attemptCount()).isEqualTo(3);
        assertThat(row(event).publishAttempt()).isEqualTo(3);
        assertThat(row(event).lastAttemptAt()).isEqualTo(row(event).updatedAt());
    }

    @Test
    void successfulAttemptIsCounted() {
        AtomicInteger failures = new AtomicInteger(1);
        outbox.handler("mail", "*", (envelope) -> {
            if (failures.getAndDecrement() > 0) {
                throw new IOException("later");
            }
        });
        outbox.retry(TestOutbox.AT_ONCE).start();

        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));
        await().until(() -> row(event).status().equals("PUBLISHED"));

        assertThat(row(event).attemptCount()).isEqualTo(1);
        assertThat(row(event).publishAttempt()).isEqualTo(2);
    }

    @Test
    void waitingEventIsAsOldAsItsInsert() {
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));

        assertThat(row(event).publishAttempt()).isZero();
        assertThat(row(event).lastAttemptAt()).isNull();
        assertThat(row(event).createdAt()).isNotNull().isEqualTo(row(event).updatedAt());
    }

    private static void assertClaimed(Row row) {
        assertThat(row.lockedBy()).isNotBlank();
        assertThat(row.claimedAt()).isNotNull();
        assertThat(row.lockedUntil()).isAfter(row.claimedAt());
    }

    @Test
    void skippedHandlersAreShownAndArchived() throws SQLException {
        EventEnvelope skipped = outbox.publish("1", new OrderPlaced(1));
        EventEnvelope delivered = outbox.publish("2", new OrderPlaced(1));
        lanes.dead("mail", skipped);
        lanes.dead("audit", skipped);

        skip("mail", skipped);
        // A replay adds the second delivery.
        lanes.dead("mail", skipped);
        skip("mail", skipped);
        int attempts = row(skipped).publishAttempt();
        Instant earlierSkip = row(skipped).updatedAt();
        deleteOperations();
        assertThat(row(skipped).skippedHandlers()).isEqualTo("mail");
        assertThat(outcomes(skipped)).containsExactly("audit DEAD", "mail SKIPPED");
        skip("audit", skipped);
        lanes.published(delivered);

        assertThat(row(skipped).status()).isEqualTo("PUBLISHED");
        assertThat(row(skipped).publishAttempt()).isEqualTo(attempts);
        assertThat(row(skipped).updatedAt()).isAfter(earlierSkip);
        deleteOperations();
        assertThat(row(skipped).skippedHandlers()).isEqualTo("audit,mail");
        assertThat(outcomes(skipped)).containsExactly("audit SKIPPED", "mail SKIPPED");
        assertThat(row(delivered).skippedHandlers()).isEmpty();
        assertThat(RetentionSteps.archive(outbox)).isEqualTo(2);
        assertThat(archivedSkips(skipped)).isEqualTo("audit,mail");
        assertThat(archivedSkips(delivered)).isEmpty();
    }

    @Test
    void skippedHandlerStaysWhenARedeliveryPublishes() {
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));
        lanes.dead("mail", event);
        lanes.failed("audit", event);
        skip("mail", event);
        outbox.handler("audit", "*", (envelope) -> {}).start();
        lanes.due();

        await().until(() -> row(event).status().equals("PUBLISHED"));
        assertThat(row(event).skippedHandlers()).isEqualTo("mail");
    }

    private void deleteOperations() {
        outbox.sql().sql("DELETE FROM events.outbox_operation").update();
    }

    private Stream<String> outcomes(EventEnvelope event) {
        return Operator.of(outbox).inspector().findEvent(event.eventId()).orElseThrow().handlers().stream()
                .map((handler) -> handler.handlerId() + " " + handler.outcome());
    }

    /** Every handler had succeeded before. */
    @Test
    void skippedReplayIsNotASkippedHandler() throws SQLException {
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));
        lanes.published(event);
        lanes.dead("mail", event);

        skip("mail", event);

        assertThat(row(event).skippedHandlers()).isEmpty();
        assertThat(RetentionSteps.archive(outbox)).isEqualTo(1);
        assertThat(archivedSkips(event)).isEmpty();
    }

    private void skip(String handlerId, EventEnvelope event) {
        assertThat(Operator.of(outbox)
                        .operations()
                        .skip(DeliverySelection.delivery(event.eventId(), handlerId), "ann", "sent by hand")
                        .affected())
                .isEqualTo(1);
    }

    private String archivedSkips(EventEnvelope event) {
        return outbox.sql()
                .sql("SELECT array_to_string(skipped_handlers, ',') FROM audit.events WHERE outbox_event_id = ?")
                .param(event.eventId())
                .query(String.class)
                .single();
    }

    private Row row(EventEnvelope event) {
        return outbox.sql()
                .sql(
                        "SELECT status, locked_by, claimed_at, locked_until, attempt_count, publish_attempt,"
                                + " last_attempt_at, created_at, updated_at,"
                                + " array_to_string(skipped_handlers, ',') AS skipped_handlers FROM events.outbox_status WHERE id = ?")
                .param(event.id())
                .query(Row.class)
                .single();
    }

    private record Row(
            String status,
            String lockedBy,
            Instant claimedAt,
            Instant lockedUntil,
            int attemptCount,
            int publishAttempt,
            Instant lastAttemptAt,
            Instant createdAt,
            Instant updatedAt,
            String skippedHandlers) {}
}
