package dev.outbox.internal.lane;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.claim.ClaimSteps;
import dev.outbox.internal.dispatch.DeliveryOutcome;
import dev.outbox.internal.dispatch.Dispatcher.DueDelivery;
import dev.outbox.internal.failure.Failure;
import dev.outbox.internal.lane.RetryBatch.Attempted;
import dev.outbox.internal.lease.LeaseStore;
import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.testing.Guarantee;
import dev.outbox.testing.OpenTransaction;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Late workers of deliveries, and rows that others hold locked. */
@Tag("full")
class RetryLanesFenceTest {

    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final ActiveHandlers MAIL = ActiveHandlers.ofAllTypes("mail");

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final ClaimSteps claims = new ClaimSteps(outbox);
    private final DeliveryClaimStore deliveries = new DeliveryClaimStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final LeaseStore leases = new LeaseStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final DeliverySettlementStore outcomes =
            new DeliverySettlementStore(outbox.dataSource(), OutboxSchema.DEFAULT);

    @Test
    @Guarantee(value = "G5", sentence = "Retries are fenced in the same way.")
    void lateWorkerOfDeliveryChangesNothing() throws SQLException {
        outbox.addStream("default");
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));
        park(claim(), event);
        List<DueDelivery> late = claimDue();
        new Lanes(outbox).expired();
        leases.endExpired(Set.of("default"));
        List<DueDelivery> next = claimDue();
        assertThat(next.get(0).attempt()).isEqualTo(2);

        Failure failure = new Failure("E", "late");
        for (DeliveryOutcome outcome : List.of(
                DeliveryOutcome.SUCCEEDED,
                DeliveryOutcome.retry(failure, Duration.ZERO, true),
                DeliveryOutcome.retry(failure, Duration.ZERO, false),
                DeliveryOutcome.dead(failure, false),
                DeliveryOutcome.dead(failure, true))) {
            Attempted attempted = new Attempted(late.get(0), outcome);
            assertThat(settle(late, List.of(attempted))).isFalse();
        }
        assertThat(settle(late, List.of())).isFalse();
        assertThat(leases.renew(late.get(0).claim(), LEASE)).isFalse();
        assertThat(leases.confirm(late.get(0).claim())).isFalse();
        assertThat(outbox.lane()).containsExactly("1 OPEN 0");
        assertThat(outbox.statuses()).containsExactly("PROCESSING");
        assertThat(settle(next, List.of(new Attempted(next.get(0), DeliveryOutcome.SUCCEEDED))))
                .isTrue();
        assertThat(outbox.published()).isEqualTo(1);
    }

    @Test
    @Guarantee(value = "G5", sentence = "A late worker does not take a lane from its new owner.")
    void lateWorkerNeverTakesLaneFromNewOwner() throws SQLException {
        outbox.addStream("default");
        for (int number = 1; number <= 3; number++) {
            EventEnvelope event = outbox.publish("1", new OrderPlaced(number));
            park(claim(), event);
        }
        List<DueDelivery> late = claimDue();
        assertThat(late).hasSize(3);
        new Lanes(outbox).expired();
        leases.endExpired(Set.of("default"));
        assertThat(deliveries.claimDue(LaneSteps.request("next", MAIL, 1, LEASE)))
                .as("one at a time after an expired lease")
                .hasSize(1);

        Attempted third =
                new Attempted(late.get(2), DeliveryOutcome.retry(new Failure("E", "late"), Duration.ZERO, true));
        assertThat(settle(late, List.of(third))).isFalse();
        assertThat(outbox.lane()).containsExactly("1 OPEN 0", "2 OPEN 0", "3 OPEN 0");
    }

    @Test
    void releasedClaimFreesItsLanesWithoutCountingACrash() throws Exception {
        outbox.addStream("default");
        for (int number = 1; number <= 3; number++) {
            EventEnvelope event = outbox.publish(Integer.toString(number), new OrderPlaced(number));
            park(claim(), event);
        }
        List<DueDelivery> stopped = claimDue();
        CompletableFuture<Void> release;
        try (OpenTransaction operator = OpenTransaction.of(outbox.owner())) {
            operator.run("UPDATE events.outbox_lane SET crash_count = crash_count WHERE aggregate_id = '2'");
            release = InBackground.run(() -> {
                leases.release(stopped.get(0).claim());
                return null;
            });
            outbox.awaitWaiting(1);
            operator.commit();
        }
        InBackground.result(release);

        assertThat(claimDue())
                .as("lanes, one of which another session has changed meanwhile")
                .hasSize(3)
                .allMatch((delivery) -> delivery.attempt() == 1 && delivery.crashes() == 0);
        assertThat(settle(stopped, List.of())).isFalse();
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
        outbox.publishOrders("1", 3);
        outbox.start();
        awaitLatch(retrying);
        try (OpenTransaction operator = OpenTransaction.of(outbox.owner())) {
            operator.run(lock);
            locked.countDown();
            IntStream.range(0, 5).forEach((i) -> outbox.publish("other" + i, new OrderPlaced(i)));

            // They are retried too.
            outbox.awaitPublished(5);
            await().during(Duration.ofSeconds(4))
                    .until(() -> mail.sequences().get("1").equals(List.of(1L)));
        }
        outbox.awaitPublished(8);
        assertThat(mail.sequences()).containsEntry("1", List.of(1L, 2L, 3L));
        assertThat(outbox.deliveries()).isZero();
    }

    /** Settles a claim, and gives back its deliveries without outcomes; returns whether it was still held. */
    private boolean settle(List<DueDelivery> claimed, List<Attempted> attempts) throws SQLException {
        List<DueDelivery> untried = attempts.isEmpty() ? claimed : List.of();
        return outcomes.settle(claimed.get(0).claim(), attempts, untried, Set.of())
                .claimHeld();
    }

    private void park(ClaimSteps.Found round, EventEnvelope envelope) throws SQLException {
        assertThat(claims.queue(round, Map.of(envelope, "mail"), DeliveryOutcome.QUEUED))
                .isTrue();
    }

    private ClaimSteps.Found claim() throws SQLException {
        return claims.claim(10, MAIL);
    }

    private List<DueDelivery> claimDue() throws SQLException {
        return deliveries.claimDue(LaneSteps.request("w", MAIL, 10, LEASE));
    }
}
