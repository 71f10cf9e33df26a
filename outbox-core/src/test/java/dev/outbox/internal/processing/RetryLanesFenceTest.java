package dev.outbox.internal.processing;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.delivery.AttemptedDelivery;
import dev.outbox.internal.delivery.ClaimRound;
import dev.outbox.internal.delivery.DeliveryOutcome;
import dev.outbox.internal.delivery.DueDelivery;
import dev.outbox.internal.delivery.QueuedDelivery;
import dev.outbox.internal.failure.Failure;
import dev.outbox.internal.store.ActiveHandlers;
import dev.outbox.internal.store.ClaimStore;
import dev.outbox.internal.store.DeliveryClaimStore;
import dev.outbox.internal.store.DeliverySettlementStore;
import dev.outbox.internal.store.HandlerStore;
import dev.outbox.internal.store.OutboxSchema;
import dev.outbox.internal.store.SettlementStore;
import dev.outbox.internal.store.SettlementStore.Settlement;
import dev.outbox.testing.Guarantee;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Late workers of deliveries, and rows that others hold locked. */
class RetryLanesFenceTest {

    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final ActiveHandlers MAIL = ActiveHandlers.ofAllTypes("mail");

    private final TestOutbox outbox = TestOutbox.create();
    private final ClaimStore claims = new ClaimStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final SettlementStore settlements = new SettlementStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final DeliveryClaimStore deliveries = new DeliveryClaimStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final DeliverySettlementStore outcomes =
            new DeliverySettlementStore(outbox.dataSource(), OutboxSchema.DEFAULT);

    @AfterEach
    void close() {
        outbox.close();
    }

    @Test
    @Guarantee(value = "G5", sentence = "Retries are fenced in the same way.")
    void lateWorkerOfDeliveryChangesNothing() throws SQLException {
        new HandlerStore(outbox.dataSource(), OutboxSchema.DEFAULT).addStream("default");
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));
        park(claim(), event);
        List<DueDelivery> late = claimDue();
        outbox.sql()
                .sql("UPDATE events.outbox_delivery SET locked_until = now() - interval '1 second'")
                .update();
        List<DueDelivery> next = claimDue();
        assertThat(next.get(0).attempt()).isEqualTo(2);

        Failure failure = new Failure("E", "late");
        for (DeliveryOutcome outcome : List.of(
                new DeliveryOutcome.Succeeded(),
                new DeliveryOutcome.Retry(failure, Duration.ZERO, true),
                new DeliveryOutcome.Retry(failure, Duration.ZERO, false),
                new DeliveryOutcome.Dead(failure, false),
                new DeliveryOutcome.Dead(failure, true))) {
            AttemptedDelivery attempted = new AttemptedDelivery(late.get(0), outcome);
            assertThat(outcomes.settle(List.of(attempted), List.of()).written()).isEmpty();
        }
        assertThat(outcomes.settle(List.of(), late).written()).isEmpty();
        assertThat(deliveries.renew(late, LEASE)).isEmpty();
        assertThat(deliveries.confirm(late)).isEmpty();
        assertThat(lane()).containsExactly("1 DUE 0");
        assertThat(outbox.sql()
                        .sql("SELECT status FROM events.outbox_status")
                        .query(String.class)
                        .single())
                .isEqualTo("PROCESSING");
        assertThat(outcomes.settle(
                                List.of(new AttemptedDelivery(next.get(0), new DeliveryOutcome.Succeeded())), List.of())
                        .written())
                .hasSize(1);
        assertThat(outbox.count("events.outbox_published")).isEqualTo(1);
    }

    @Test
    @Guarantee(value = "G5", sentence = "A late worker does not take the head of a lane from its new owner.")
    void lateWorkerNeverTakesHeadFromNewOwner() throws SQLException {
        new HandlerStore(outbox.dataSource(), OutboxSchema.DEFAULT).addStream("default");
        for (int number = 1; number <= 3; number++) {
            EventEnvelope event = outbox.publish("1", new OrderPlaced(number));
            park(claim(), event);
        }
        List<DueDelivery> late = claimDue();
        assertThat(late).hasSize(3);
        outbox.sql()
                .sql("UPDATE events.outbox_delivery SET locked_until = now() - interval '1 second'")
                .update();
        assertThat(deliveries.claimDue(
                        new DeliveryClaimStore.Request("default", "next", MAIL, 1, Set.of(), true, LEASE)))
                .hasSize(2);

        AttemptedDelivery third = new AttemptedDelivery(
                late.get(2), new DeliveryOutcome.Retry(new Failure("E", "late"), Duration.ZERO, true));
        assertThat(outcomes.settle(List.of(third), List.of()).written()).isEmpty();
        assertThat(lane()).containsExactly("1 DUE 0", "2 WAITING 0", "3 WAITING 0");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT FROM events.outbox WHERE aggregate_id = '1' FOR UPDATE",
                "SELECT FROM events.outbox_delivery WHERE aggregate_id = '1' FOR UPDATE",
            })
    @Guarantee(value = "G4", sentence = "A row that is locked during a retry delays its aggregate only.")
    void rowLockedDuringRetryDelaysItsAggregateOnly(String lock) throws Exception {
        CountDownLatch retrying = new CountDownLatch(1);
        CountDownLatch locked = new CountDownLatch(1);
        Recorded mail = Recorded.failing((attempt) -> {
            if (attempt.envelope().aggregateId().equals("1") && attempt.number() == 2) {
                retrying.countDown();
                awaitLatch(locked);
            }
            return attempt.number() == 1 ? new IOException("once") : null;
        });
        outbox.handler("mail", "*", mail)
                .retry(TestOutbox.AT_ONCE)
                .poller(Duration.ofMillis(50), 50, Duration.ofSeconds(3));
        publish(3);
        outbox.start();
        awaitLatch(retrying);
        try (Connection operator = outbox.owner().getConnection()) {
            operator.setAutoCommit(false);
            operator.createStatement().execute(lock);
            locked.countDown();
            IntStream.range(0, 5).forEach((i) -> outbox.publish("other" + i, new OrderPlaced(i)));

            // They are retried too.
            await().until(() -> outbox.count("events.outbox_published") == 5);
            await().during(Duration.ofSeconds(4))
                    .until(() -> mail.sequences().get("1").equals(List.of(1L)));
            operator.rollback();
        }
        await().until(() -> outbox.count("events.outbox_published") == 8);
        assertThat(mail.sequences()).containsEntry("1", List.of(1L, 2L, 3L));
        assertThat(outbox.count("events.outbox_delivery")).isZero();
    }

    @Test
    void followersNeverPassLockedDelivery() throws Exception {
        new HandlerStore(outbox.dataSource(), OutboxSchema.DEFAULT).addStream("default");
        for (int number = 1; number <= 5; number++) {
            EventEnvelope event = outbox.publish("1", new OrderPlaced(number));
            park(claim(), event);
        }
        try (Connection operator = outbox.owner().getConnection()) {
            operator.setAutoCommit(false);
            operator.createStatement().execute("SELECT FROM events.outbox_delivery WHERE aggregate_seq = 3 FOR UPDATE");
            List<DueDelivery> due = claimDue();
            assertThat(due).extracting((one) -> one.envelope().aggregateSeq()).containsExactly(1L, 2L);
            operator.createStatement().execute("SELECT FROM events.outbox_delivery WHERE aggregate_seq = 2 FOR UPDATE");
            assertThat(deliveries.renew(due, LEASE)).hasSize(2);
            operator.rollback();
        }
    }

    private void park(ClaimRound round, EventEnvelope envelope) throws SQLException {
        QueuedDelivery parked = new QueuedDelivery(envelope.id(), "mail", new DeliveryOutcome.Queued());
        assertThat(settlements
                        .settle(new Settlement(round.claim().key(), List.of(), List.of(parked), true))
                        .claimHeld())
                .isTrue();
    }

    private ClaimRound claim() throws SQLException {
        return claims.claim(new ClaimStore.Request("default", "w", 10, LEASE, MAIL))
                .orElseThrow();
    }

    private List<DueDelivery> claimDue() throws SQLException {
        return deliveries.claimDue(new DeliveryClaimStore.Request("default", "w", MAIL, 10, Set.of(), true, LEASE));
    }

    private void publish(int events) {
        IntStream.rangeClosed(1, events).forEach((number) -> outbox.publish("1", new OrderPlaced(number)));
    }

    /** Sequence, status and failures of what is in the lane. */
    private List<String> lane() {
        return outbox.sql()
                .sql(
                        "SELECT aggregate_seq || ' ' || status || ' ' || retry_count FROM events.outbox_delivery ORDER BY aggregate_seq")
                .query(String.class)
                .list();
    }
}
