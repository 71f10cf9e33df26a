package dev.outbox.internal.lane;

import static dev.outbox.fixture.InBackground.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.DeliveryOutcome;
import dev.outbox.internal.dispatch.Dispatcher.DueDelivery;
import dev.outbox.internal.lane.RetryBatch.Attempted;
import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.fixture.Operator;
import dev.outbox.testing.OpenTransaction;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An operator puts an earlier event into a lane while a worker claims or settles it. */
class LaneRacesTest {

    private static final Duration LONGEST = Duration.ofMinutes(1);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final Lanes lanes = new Lanes(outbox);
    private final DeliveryClaimStore claims = new DeliveryClaimStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final DeliverySettlementStore settlements =
            new DeliverySettlementStore(outbox.dataSource(), OutboxSchema.DEFAULT);

    @BeforeEach
    void addStream() throws SQLException {
        outbox.addStream("default");
    }

    @Test
    void laneKeepsItsOwnerBesideALockedRow() throws SQLException {
        List<EventEnvelope> events = outbox.publishOrders("1", 4);
        lanes.dead("mail", events.get(0));
        lanes.waiting("mail", events.get(1));
        lanes.waiting("mail", events.get(2));
        lanes.waiting("mail", events.get(3));
        EventEnvelope other = outbox.publishOrders("2", 1).get(0);
        lanes.waiting("mail", other);
        List<DueDelivery> batch = claim("w-1");
        assertThat(batch).hasSize(4);
        List<Attempted> attempts = batch.stream()
                .filter((one) -> one.envelope().sequence() == 2
                        || one.envelope().aggregateId().equals("2"))
                .map((one) -> new Attempted(one, DeliveryOutcome.SUCCEEDED))
                .toList();
        Set<Lane> kept = Set.of(new Lane("mail", "order", "1"));

        retry(events.get(0));
        try (OpenTransaction holding = OpenTransaction.of(outbox.owner())) {
            holding.run("SELECT FROM events.outbox_unpublished WHERE id = " + other.id() + " FOR UPDATE");
            settlements.settle(batch.get(0).claim(), attempts, List.of(), kept);
        }

        assertThat(claim("w-2"))
                .extracting((one) -> one.envelope().aggregateId())
                .as("worker 1 still holds the third and fourth event of this aggregate")
                .doesNotContain("1");
    }

    @Test
    void claimDoesNotOvertakeARetryCommittedBeforeIt() throws SQLException {
        List<EventEnvelope> events = outbox.publishOrders("1", 4);
        lanes.waiting("mail", events.get(0));
        lanes.waiting("mail", events.get(1));
        lanes.dead("mail", events.get(2));
        lanes.waiting("mail", events.get(3));
        pauseClaims();

        try (OpenTransaction holding = OpenTransaction.of(outbox.owner())) {
            holding.run("SELECT pg_advisory_lock(4711)");
            CompletableFuture<List<DueDelivery>> claimed = InBackground.run(() -> claim("w-1"));
            awaitPausedClaim();
            retry(events.get(2));
            holding.run("SELECT pg_advisory_unlock(4711)");

            assertThat(result(claimed))
                    .extracting((one) -> one.envelope().sequence())
                    .as("the third event is retried before the claim locks the lane")
                    .doesNotContain(4L);
            assertThat(claim("w-2"))
                    .extracting((one) -> one.envelope().sequence())
                    .containsExactly(1L, 2L, 3L, 4L);
        }
    }

    /** After the snapshot of its first statement, before it locks a lane. */
    private void pauseClaims() {
        outbox.sql().sql("""
                        CREATE OR REPLACE FUNCTION events.outbox_takes(
                            own_event_type text, own_aggregate_type text, own_stream text, own_source text,
                            event_type text, aggregate_type text, stream text, source text) RETURNS boolean
                            LANGUAGE plpgsql IMMUTABLE AS $function$
                        BEGIN
                            IF current_query() LIKE '%candidate AS MATERIALIZED%' THEN
                                PERFORM pg_advisory_xact_lock_shared(4711);
                            END IF;
                            RETURN true;
                        END
                        $function$
                        """).update();
    }

    private void awaitPausedClaim() {
        await().atMost(LONGEST).until(() -> outbox.count("pg_locks WHERE objid = 4711 AND NOT granted") == 1);
    }

    private List<DueDelivery> claim(String worker) throws SQLException {
        return claims.claimDue(LaneSteps.request(worker, ActiveHandlers.ofAllTypes("mail"), 10, LONGEST));
    }

    private void retry(EventEnvelope event) {
        assertThat(Operator.of(outbox)
                        .operations()
                        .retry(DeliverySelection.delivery(event.eventId(), "mail"), "ann", "mail is back")
                        .affected())
                .isEqualTo(1);
    }
}
