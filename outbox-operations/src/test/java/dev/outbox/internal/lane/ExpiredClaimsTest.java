package dev.outbox.internal.lane;

import static dev.outbox.fixture.InBackground.result;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.claim.ClaimSteps;
import dev.outbox.internal.dispatch.DeliveryOutcome;
import dev.outbox.internal.dispatch.Dispatcher.DueDelivery;
import dev.outbox.internal.lease.LeaseStore;
import dev.outbox.internal.lease.LeaseStore.Expired;
import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.operations.Delivery.FailedAttempt;
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

/** The end of claims of lanes whose worker has gone, and what it counts. */
class ExpiredClaimsTest {

    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final ActiveHandlers MAIL = ActiveHandlers.ofAllTypes("mail");

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final Lanes lanes = new Lanes(outbox);
    private final LaneSteps steps = new LaneSteps(outbox);
    private final LeaseStore leases = new LeaseStore(outbox.dataSource(), OutboxSchema.DEFAULT);

    @BeforeEach
    void addStream() throws SQLException {
        outbox.addStream("default");
    }

    @Test
    void freesLanesAndCountsACrashOfTheFirstDelivery() throws SQLException {
        List<EventEnvelope> events = outbox.publishOrders("1", 2);
        events.forEach((event) -> lanes.waiting("mail", event));
        steps.claimDue(10, MAIL);
        assertThat(end()).isEmpty();

        lanes.expired();
        assertThat(end()).containsExactly(new Expired("w", true, 0, 1));

        assertThat(outbox.claims()).isZero();
        assertThat(failures(events.get(0)))
                .singleElement()
                .satisfies((failure) -> assertThat(failure.attempt()).isEqualTo(1))
                .satisfies((failure) -> assertThat(failure.code()).isEqualTo("LEASE_EXPIRED"))
                .satisfies((failure) -> assertThat(failure.message()).isEqualTo("the lease of w expired"))
                .satisfies((failure) -> assertThat(failure.worker()).isEqualTo("w"));
        assertThat(failures(events.get(1))).isEmpty();
        assertThat(steps.claimDue(10, MAIL))
                .as("one at a time after a crash")
                .singleElement()
                .satisfies((next) -> assertThat(next.attempt()).isEqualTo(2))
                .satisfies((next) -> assertThat(next.crashes()).isEqualTo(1));
    }

    /** An operator has put it in front since. */
    @Test
    void blamesNoDeliveryThatCameAfterTheClaim() throws SQLException {
        List<EventEnvelope> events = outbox.publishOrders("1", 2);
        lanes.dead("mail", events.get(0));
        lanes.waiting("mail", events.get(1));
        steps.claimDue(10, MAIL);
        Operator.of(outbox)
                .operations()
                .retry(DeliverySelection.delivery(events.get(0).eventId(), "mail"), "ann", "mail is back");

        lanes.expired();
        end();

        assertThat(failures(events.get(0))).isEmpty();
        assertThat(steps.claimDue(10, MAIL).get(0).envelope().id())
                .isEqualTo(events.get(0).id());
    }

    @Test
    void countsNothingAfterACrashOfTheDatabase() throws SQLException {
        EventEnvelope event = outbox.publishOrders("1", 1).get(0);
        lanes.waiting("mail", event);
        DueDelivery claimed = steps.claimDue(10, MAIL).get(0);
        outbox.sql().sql("DELETE FROM events.outbox_incarnation").update();

        assertThat(leases.confirm(claimed.claim())).isFalse();
        assertThat(end()).containsExactly(new Expired("w", false, 0, 1));
        assertThat(failures(event)).isEmpty();
        assertThat(steps.claimDue(10, MAIL).get(0).crashes()).isZero();
    }

    /** Waiting for the lane would hold up everything else; and the row of the claim must stay as long as a lane names it. */
    @Test
    void laneThatIsLockedKeepsItsClaimFromTheWorker() throws SQLException {
        for (String aggregate : List.of("1", "2")) {
            lanes.waiting("mail", outbox.publishOrders(aggregate, 1).get(0));
        }
        List<DueDelivery> claimed = steps.claimDue(10, MAIL);
        lanes.expired();
        try (OpenTransaction other = OpenTransaction.of(outbox.owner())) {
            other.run("SELECT FROM events.outbox_lane WHERE aggregate_id = '1' FOR UPDATE");
            assertThat(end()).containsExactly(new Expired("w", true, 0, 1));

            assertThat(leases.renew(claimed.get(0).claim(), LEASE)).isFalse();
            assertThat(steps.settle(claimed, DeliveryOutcome.SUCCEEDED)).isZero();
            assertThat(steps.claimDue(10, MAIL))
                    .singleElement()
                    .satisfies(
                            (next) -> assertThat(next.envelope().aggregateId()).isEqualTo("2"));
            assertThat(end()).isEmpty();
        }

        assertThat(end()).containsExactly(new Expired("w", true, 0, 1));
        assertThat(steps.claimDue(10, MAIL))
                .singleElement()
                .satisfies((next) -> assertThat(next.crashes()).isEqualTo(1));
    }

    /** After an outage, a batch of this process may be about to settle. */
    @Test
    void leavesOwnClaimsToTheirBatches() throws SQLException {
        lanes.waiting("mail", outbox.publishOrders("1", 1).get(0));
        DueDelivery claimed = steps.claimDue(10, MAIL).get(0);
        lanes.expired();

        assertThat(leases.endExpired("default", Set.of(claimed.claim().id()))).isEmpty();
        assertThat(leases.renew(claimed.claim(), LEASE)).isTrue();
    }

    @Test
    void claimOfEventsTellsWhenALeaseEndsAndEndsItThen() throws SQLException {
        lanes.waiting("mail", outbox.publishOrders("1", 1).get(0));
        steps.claimDue(10, MAIL);
        assertThat(new ClaimSteps(outbox).claim(10, MAIL).untilNextDelivery())
                .hasValueSatisfying((until) -> assertThat(until).isBetween(LEASE.dividedBy(2), LEASE));

        lanes.expired();
        assertThat(new ClaimSteps(outbox).claim(10, MAIL).untilNextDelivery())
                .hasValueSatisfying((until) -> assertThat(until).isLessThanOrEqualTo(Duration.ZERO));
        assertThat(steps.claimDue(10, MAIL)).hasSize(1);
    }

    @Test
    void lastSettlementEndsTheClaim() throws SQLException {
        for (String aggregate : List.of("1", "2")) {
            lanes.waiting("mail", outbox.publishOrders(aggregate, 1).get(0));
        }
        List<DueDelivery> claimed = steps.claimDue(10, MAIL);

        steps.settle(claimed.subList(0, 1), DeliveryOutcome.SUCCEEDED);
        assertThat(leases.confirm(claimed.get(0).claim())).isTrue();
        steps.settle(claimed.subList(1, 2), DeliveryOutcome.SUCCEEDED);
        assertThat(outbox.claims()).isZero();
    }

    /** The window of claims must not pass over a claim that has its id and is not committed. */
    @Test
    void claimOfLanesWaitsForTheStream() throws SQLException {
        lanes.waiting("mail", outbox.publishOrders("1", 1).get(0));
        try (OpenTransaction claimer = OpenTransaction.of(outbox.dataSource())) {
            claimer.run("SELECT FROM events.outbox_stream FOR UPDATE");
            CompletableFuture<List<DueDelivery>> claiming = InBackground.run(() -> steps.claimDue(10, MAIL));
            outbox.awaitWaiting(1);
            claimer.commit();
            assertThat(result(claiming)).hasSize(1);
        }
    }

    private List<Expired> end() throws SQLException {
        return leases.endExpired("default", Set.of());
    }

    private List<FailedAttempt> failures(EventEnvelope event) {
        return Operator.of(outbox)
                .operations()
                .find(DeliverySelection.delivery(event.eventId(), "mail"), 1)
                .get(0)
                .attempts()
                .failures();
    }
}
