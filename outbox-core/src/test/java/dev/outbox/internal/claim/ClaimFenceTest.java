package dev.outbox.internal.claim;

import static dev.outbox.internal.claim.ClaimSteps.aggregates;
import static dev.outbox.internal.claim.ClaimSteps.ids;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.claim.SettlementStore.Settlement;
import dev.outbox.internal.claim.SettlementStore.Unfinished;
import dev.outbox.internal.dispatch.DeliveryOutcome;
import dev.outbox.internal.failure.Failure;
import dev.outbox.internal.lease.Lease;
import dev.outbox.internal.lease.LeaseStore;
import dev.outbox.internal.lease.LeaseStore.Expired;
import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.internal.sql.BoundConnection;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.testing.Guarantee;
import dev.outbox.testing.OpenTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Writes after a claim: fenced by it, and only for events that are left in it. */
class ClaimFenceTest {

    private static final ActiveHandlers NO_HANDLERS = ActiveHandlers.ofAllTypes();
    private static final Duration LEASE = Duration.ofMinutes(1);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final ClaimStore claims = new ClaimStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final LeaseStore leases = new LeaseStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final SettlementStore settlements = new SettlementStore(outbox.dataSource(), OutboxSchema.DEFAULT);

    ClaimFenceTest() throws SQLException {
        outbox.addStream("default");
    }

    @Test
    @Guarantee(
            value = "G5",
            sentence = "A late worker changes nothing: every write after a claim is fenced by the claim.")
    void lateWorkerChangesNothing() throws SQLException {
        outbox.publishOrders("a");
        ClaimStore.Claim late = claim("late", 10).claim();
        expireClaims();
        ClaimStore.Round round = claim("next", 10);

        assertThat(round.expired()).containsExactly(new Expired("late", true, 1, 0));
        assertThat(aggregates(round)).containsExactly("a");
        assertThat(round.claim().events().get(0).expiredClaims()).isEqualTo(1);
        Unfinished parked = new Unfinished(
                ids(late).get(0), "h", DeliveryOutcome.retry(new Failure("E", "m"), Duration.ZERO, true));
        assertThat(settlements
                        .settle(new Settlement(late, ids(late), List.of(), false, false))
                        .claimHeld())
                .isFalse();
        assertThat(settlements
                        .settle(new Settlement(late, ids(late), List.of(), true, false))
                        .claimHeld())
                .isFalse();
        assertThat(settlements
                        .settle(new Settlement(late, List.of(), List.of(parked), true, false))
                        .claimHeld())
                .isFalse();
        assertThat(leases.renew(late.key(), LEASE)).isFalse();
        assertThat(leases.confirm(late.key())).isFalse();
        assertThat(outbox.published()).isZero();
        assertThat(outbox.deliveries()).isZero();
        assertThat(outbox.statuses()).containsExactly("PROCESSING");
        assertThat(settlements
                        .settle(new Settlement(round.claim(), ids(late), List.of(), true, false))
                        .claimHeld())
                .isTrue();
        assertThat(outbox.statuses()).containsExactly("PUBLISHED");
    }

    @Test
    void expiredClaimMaySettleUntilItIsDropped() throws SQLException {
        outbox.publishOrders("a");
        ClaimStore.Claim claim = claim("w1", 10).claim();
        expireClaims();

        assertThat(settlements
                        .settle(new Settlement(claim, ids(claim), List.of(), true, false))
                        .claimHeld())
                .isTrue();
        assertThat(outbox.statuses()).containsExactly("PUBLISHED");
    }

    /** Its snapshot may be older than a renewal. */
    @ParameterizedTest
    @ValueSource(ints = {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ})
    void transactionConfirmsItsClaim(int isolation) throws SQLException {
        outbox.publishOrders("a");
        ClaimStore.Claim claim = claim("w1", 10).claim();
        Lease.Claimed claimed = leases.claimed(claim.key(), LEASE);
        BoundConnection transaction = new BoundConnection(outbox.dataSource());
        TransactionTemplate isolated = new TransactionTemplate(new DataSourceTransactionManager(outbox.dataSource()));
        isolated.setIsolationLevel(isolation);
        expireClaims();

        assertThat(isolated.<Boolean>execute((status) -> confirmedAfterRenewal(claimed, transaction)))
                .isTrue();

        leases.release(claim.key());
        assertThat(isolated.<Boolean>execute((status) -> confirmed(claimed, transaction)))
                .isFalse();
    }

    private static boolean confirmedAfterRenewal(Lease.Claimed claimed, BoundConnection transaction) {
        confirmed(claimed, transaction);
        try {
            claimed.renew();
        } catch (Exception ex) {
            throw new IllegalStateException(ex);
        }
        return confirmed(claimed, transaction);
    }

    private static boolean confirmed(Lease.Claimed claimed, BoundConnection transaction) {
        try {
            return claimed.confirmIn(transaction);
        } catch (SQLException ex) {
            throw new IllegalStateException(ex);
        }
    }

    @Test
    void renewedClaimDoesNotExpire() throws SQLException {
        outbox.publishOrders("a");
        ClaimStore.Claim claim = claim("w1", 10).claim();
        expireClaims();

        assertThat(leases.confirm(claim.key())).isFalse();
        assertThat(leases.renew(claim.key(), LEASE)).isTrue();
        assertThat(leases.confirm(claim.key())).isTrue();
        assertThat(claim("w2", 10).claim()).isNull();
    }

    @Test
    void releasedClaimFreesItsEventsWithoutCountingAnAttempt() throws SQLException {
        outbox.publishOrders("a");
        leases.release(claim("w1", 10).claim().key());

        ClaimStore.Round round = claim("w2", 10);
        assertThat(round.claim().events().get(0).expiredClaims()).isZero();
        assertThat(round.expired()).isEmpty();
    }

    @Test
    void partialSettlementLeavesTheRestInTheClaim() throws SQLException {
        outbox.publishOrders("a", "b");
        ClaimStore.Claim claim = claim("w1", 10).claim();
        settlements.settle(new Settlement(claim, ids(claim).subList(0, 1), List.of(), false, false));

        assertThat(outbox.statuses()).containsExactly("PUBLISHED", "PROCESSING");
        expireClaims();
        ClaimStore.Round round = claim("w2", 10);
        assertThat(round.expired()).containsExactly(new Expired("w1", true, 1, 0));
        assertThat(aggregates(round)).containsExactly("b");
    }

    /** Its aggregate is free for other claims then, though the batch continues. */
    @Test
    void parkedEventLeavesTheClaim() throws SQLException {
        outbox.publishOrders("a", "b");
        ClaimStore.Claim claim = claim("w1", 10).claim();
        Unfinished parked = new Unfinished(
                ids(claim).get(0), "h", DeliveryOutcome.retry(new Failure("E", "m"), Duration.ofHours(1), true));
        settlements.settle(new Settlement(claim, List.of(), List.of(parked), false, false));
        outbox.publishOrders("a", "b");

        assertThat(aggregates(claim("w2", 10))).containsExactly("a");
    }

    @Test
    void rowChangedDuringSettlementMovesAllTheSame() throws SQLException {
        outbox.publishOrders("a", "b");
        ClaimStore.Claim claim = claim("w1", 2).claim();
        try (OpenTransaction operator = OpenTransaction.of(outbox.owner())) {
            operator.run("UPDATE events.outbox SET last_error = 'looked at' WHERE aggregate_id = 'a'");
            CompletableFuture<SettlementStore.Settled> settled = InBackground.run(
                    () -> settlements.settle(new Settlement(claim, ids(claim), List.of(), true, false)));
            outbox.awaitWaiting(1);
            operator.commit();
            // Nothing, unless it took too long to see that it waits.
            Set<Long> leftOver = InBackground.result(settled).leftOver();
            settlements.settle(new Settlement(claim, List.copyOf(leftOver), List.of(), true, false));
        }

        assertThat(outbox.statuses()).containsExactly("PUBLISHED", "PUBLISHED");
        assertThat(outbox.unpublished()).isZero();
        assertThat(outbox.published()).isEqualTo(2);
    }

    private ClaimStore.Round claim(String worker, int batchSize) throws SQLException {
        return claims.claim(ClaimSteps.request("default", worker, batchSize, LEASE, NO_HANDLERS))
                .orElseThrow();
    }

    private void expireClaims() {
        outbox.update("UPDATE events.outbox_claim SET locked_until = now() - interval '1 second'");
    }
}
