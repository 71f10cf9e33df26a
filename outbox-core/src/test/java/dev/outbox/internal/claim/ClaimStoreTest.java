package dev.outbox.internal.claim;

import static dev.outbox.internal.claim.ClaimSteps.aggregates;
import static dev.outbox.internal.claim.ClaimSteps.ids;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import dev.outbox.fixture.BulkRows;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.claim.SettlementStore.Settlement;
import dev.outbox.internal.gauges.GaugeSteps;
import dev.outbox.internal.lane.Explained;
import dev.outbox.internal.lease.LeaseStore;
import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.testing.OpenTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ClaimStoreTest {

    private static final ActiveHandlers NO_HANDLERS = ActiveHandlers.ofAllTypes();
    private static final Duration LEASE = Duration.ofMinutes(1);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final ClaimStore claims = new ClaimStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final LeaseStore leases = new LeaseStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final SettlementStore settlements = new SettlementStore(outbox.dataSource(), OutboxSchema.DEFAULT);

    ClaimStoreTest() throws SQLException {
        outbox.addStream("default");
    }

    @Test
    void unknownStreamHasNothingToClaim() throws SQLException {
        assertThat(claims.claim(ClaimSteps.request("unknown", "w", 1, LEASE, NO_HANDLERS)))
                .isEmpty();
    }

    /** With many instances, that wait would decide how often one of them looks far. */
    @Test
    void waitForTheStreamIsNoTimeOfTheLook() throws Exception {
        outbox.publish("1", new OrderPlaced(1));
        CompletableFuture<Optional<ClaimStore.Round>> claim;
        try (OpenTransaction other = OpenTransaction.of(outbox.owner())) {
            other.run("SELECT FROM events.outbox_stream FOR UPDATE");
            claim = InBackground.run(() -> claims.claim(ClaimSteps.request("default", "w", 1, LEASE, NO_HANDLERS)));
            outbox.awaitWaiting(1);
            // What is measured: the claim waits for a second.
            other.run("SELECT pg_sleep(1)");
            other.commit();
        }

        ClaimStore.Round round = InBackground.result(claim).orElseThrow();
        assertThat(round.events()).hasSize(1);
        assertThat(round.looked()).isPositive().isLessThan(Duration.ofSeconds(1));
    }

    /** Two instances that start at the same time on a new database. */
    @Test
    void claimsNothingIfTheStreamAppearsMeanwhile() throws SQLException {
        outbox.update("""
                        INSERT INTO events.outbox (stream, aggregate_type, aggregate_id, aggregate_seq, event_type, payload)
                        VALUES ('late', 'order', 'a', 1, 'OrderPlaced', '{"number": 1}')
                        """);
        ClaimStore.Request request = ClaimSteps.request("late", "w", 10, LEASE, NO_HANDLERS);
        CompletableFuture<Optional<ClaimStore.Round>> early;
        try (OpenTransaction other = OpenTransaction.of(outbox.owner())) {
            other.run("LOCK TABLE events.outbox_claim IN SHARE MODE");
            early = InBackground.run(() -> claims.claim(request));
            outbox.awaitWaiting(1);
            outbox.addStream("late");
        }

        assertThat(InBackground.result(early)).isEmpty();
        assertThat(outbox.claims()).isZero();
        assertThat(aggregates(claims.claim(request).orElseThrow())).containsExactly("a");
    }

    @Test
    void claimsOldestEventsUpToBatchSize() throws SQLException {
        outbox.publishOrders("a", "b", "c");

        assertThat(aggregates(claim("w1", 2))).containsExactly("a", "b");
        assertThat(aggregates(claim("w2", 2))).containsExactly("c");
        assertThat(claim("w3", 2).claim()).isNull();
    }

    /** No publisher writes one; another program may. */
    @Test
    void claimsAndCountsEventsWithTimesBeyondMicroseconds() throws SQLException {
        for (String time : List.of("infinity", "-infinity", "294276-12-31 23:59:59+00")) {
            outbox.update("""
                            INSERT INTO events.outbox
                                   (stream, aggregate_type, aggregate_id, aggregate_seq, event_type, payload, occurred_at)
                            VALUES ('default', 'order', ?, 1, 'OrderPlaced', '{"number": 1}', ?::timestamptz)
                            """, time, time);
        }

        assertThat(claim("w1", 10).claim().events())
                .extracting((event) -> event.envelope().occurredAt())
                .containsExactly(Instant.EPOCH, Instant.EPOCH, Instant.EPOCH);
        assertThat(GaugeSteps.count(outbox.dataSource())).containsOnlyKeys("default");
    }

    /** No sequence gives one; another program may. */
    @Test
    void eventWithAnEnormousIdIsClaimedLikeAnyOther() throws SQLException {
        long id = Long.MAX_VALUE - 10;
        outbox.update("""
                        INSERT INTO events.outbox (id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, payload)
                        VALUES (?, 'default', 'order', 'a', 1, 'OrderPlaced', '{"number": 1}')
                        """, id);

        ClaimStore.Round round = claims.claim(reaching(0, 10)).orElseThrow();
        assertThat(round.isLong()).isTrue();
        assertThat(round.events()).extracting((event) -> event.envelope().id()).containsExactly(id);
    }

    @Test
    void claimSkipsAggregatesOfLiveClaims() throws SQLException {
        outbox.publishOrders("a", "b");
        ClaimStore.Claim first = claim("w1", 1).claim();
        outbox.publishOrders("a", "c", "b");

        assertThat(aggregates(claim("w2", 10))).containsExactly("b", "c", "b");
        settlements.settle(new Settlement(first, ids(first), List.of(), true, false));
        assertThat(aggregates(claim("w3", 10))).containsExactly("a");
    }

    @Test
    void lockedRowHoldsBackItsAggregateOnly() throws SQLException {
        outbox.publishOrders("a", "b", "a", "c");
        try (OpenTransaction operator = OpenTransaction.of(outbox.owner())) {
            operator.run("SELECT FROM events.outbox WHERE id = 1 FOR UPDATE");

            ClaimStore.Round round = claim("w1", 10);
            assertThat(aggregates(round)).containsExactly("b", "c");
            assertThat(round.skipped()).isNotEmpty();
            leases.release(round.claim().key());
            ClaimStore.Round narrow = claim("w1", 1);
            assertThat(aggregates(narrow)).containsExactly("b");
        }
        assertThat(aggregates(claim("w2", 10))).containsExactly("a", "a", "c");
    }

    @Test
    void eventsBeforeALockedRowAreClaimed() throws SQLException {
        outbox.publishOrders("a", "b", "a", "a", "b", "a");
        try (OpenTransaction operator = OpenTransaction.of(outbox.owner())) {
            operator.run("SELECT FROM events.outbox WHERE id IN (4, 5) FOR UPDATE");

            assertThat(ids(claim("w1", 10).claim())).containsExactly(1L, 2L, 3L);
        }
    }

    @Test
    void manyLockedAggregatesDoNotHideTheOthers() throws SQLException {
        IntStream.range(0, 20).forEach((i) -> outbox.publishOrders("a" + i, "a" + i, "a" + i));
        outbox.publishOrders("free");
        try (OpenTransaction operator = OpenTransaction.of(outbox.owner())) {
            operator.run("SELECT FROM events.outbox WHERE aggregate_seq = 1 AND aggregate_id <> 'free' FOR UPDATE");

            assertThat(aggregates(claim("w1", 2))).containsExactly("free");
        }
    }

    /** The lock follows the row to its new version. */
    @Test
    void rowChangedByAnotherTransactionIsClaimedOnce() throws SQLException {
        outbox.publishOrders("a", "a", "b");
        outbox.update("UPDATE events.outbox_unpublished SET attempt_count = attempt_count + 1 WHERE id = 1");

        assertThat(ids(claim("w1", 10).claim())).containsExactly(1L, 2L, 3L);
        assertThat(claim("w2", 10).claim()).isNull();
    }

    @Test
    void claimLooksAsFarAsItsReach() throws SQLException {
        outbox.publishOrders("a", "a", "a", "a", "b");
        claim("w1", 1);

        ClaimStore.Round shallow = claims.claim(reaching(0, 3)).orElseThrow();
        assertThat(shallow.claim()).isNull();
        assertThat(shallow.isLong()).isTrue();
        assertThat(claims.claim(reaching(0, 4)).orElseThrow().claim()).isNull();
        ClaimStore.Round deep = claims.claim(reaching(0, 5)).orElseThrow();
        assertThat(aggregates(deep)).containsExactly("b");
        assertThat(deep.isLong()).isFalse();
    }

    /** However far behind them the last claim of this instance was. */
    @Test
    void claimReadsAsManyEventsOfOtherClaimsAsItsReach() throws SQLException {
        int events = 300;
        int near = 10;
        new BulkRows(outbox).events(events, "'long'", "n + 1");
        claim("w1", 1);
        outbox.publishOrders("far");

        ClaimStore.Round round = claims.claim(reaching(events + 1, near)).orElseThrow();
        assertThat(round.claim()).isNull();
        assertThat(round.isLong()).isTrue();
        Explained explained = new Explained(outbox.dataSource());
        assertThat(Explained.rowsVisited(
                        explained.explain(
                                ClaimStore.LOCK_STREAM,
                                "text, bigint, bigint, bigint[]",
                                "'default', " + (events + 1) + ", " + near + ", '{}'"),
                        "outbox_unpublished"))
                .isBetween((long) near, 2L * near);
        assertThat(Explained.rowsVisited(
                        explained.explain(
                                ClaimStore.CLAIM,
                                "boolean, text, boolean, bigint, bigint[], int, bigint, uuid, text, bigint",
                                "false, 'default', false, " + near
                                        + ", '{}', 50, 1000000, gen_random_uuid(), 'w', 60000"),
                        "outbox_unpublished"))
                .isBetween((long) near, 2L * near);
        assertThat(aggregates(claim("w2", 10))).containsExactly("far");
    }

    /** Ids that have left the queue do not count: a slow handler holds the first event. */
    @Test
    void claimFindsANewEventFarBehindTheFirst() throws SQLException {
        outbox.publishOrders("slow");
        claim("w1", 1);
        outbox.value(Long.class, "SELECT setval('events.outbox_id_seq', 1000)");
        outbox.publishOrders("new");

        ClaimStore.Round round = claims.claim(reaching(1000, 10)).orElseThrow();
        assertThat(aggregates(round)).containsExactly("new");
        assertThat(round.isLong()).isFalse();
    }

    @Test
    void pausedStreamClaimsNothingAndIsNotLong() throws SQLException {
        outbox.publishOrders("a", "b");
        outbox.update("UPDATE events.outbox_stream SET paused_until = 'infinity'");

        ClaimStore.Round paused = claims.claim(reaching(0, 0)).orElseThrow();
        assertThat(paused.claim()).isNull();
        assertThat(paused.isLong()).isFalse();
    }

    private static ClaimStore.Request reaching(long from, long ids) {
        return new ClaimStore.Request(
                "default",
                "w",
                10,
                LEASE,
                NO_HANDLERS,
                new ScanLimit.Reach(from, ids, ids),
                ClaimStore.Window.ADVANCED,
                OffsetDateTime.MIN,
                Set.of());
    }

    @Test
    void poolDefaultsDoNotMatter() throws SQLException {
        HikariConfig pool = new HikariConfig();
        pool.setAutoCommit(false);
        pool.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
        pool.setReadOnly(true);
        try (TestOutbox other = TestOutbox.create(pool)) {
            ClaimStore store = new ClaimStore(other.dataSource(), OutboxSchema.DEFAULT);
            other.addStream("default");
            ClaimStore.Request request = ClaimSteps.request("default", "w", 10, LEASE, NO_HANDLERS);

            assertThat(store.claim(request)).isPresent();
            try (Connection connection = other.dataSource().getConnection()) {
                assertThat(connection.getAutoCommit()).isFalse();
            }
        }
    }

    @Test
    void failedPipelineLeavesAUsableConnection() throws SQLException {
        HikariConfig pool = new HikariConfig();
        pool.setMaximumPoolSize(1);
        try (TestOutbox other = TestOutbox.create(pool)) {
            ClaimStore store = new ClaimStore(other.dataSource(), OutboxSchema.DEFAULT);
            ClaimStore.Request request = ClaimSteps.request("default", "w", 10, LEASE, NO_HANDLERS);
            other.update("ALTER TABLE events.outbox_claim RENAME TO gone");
            assertThat(org.assertj.core.api.Assertions.catchThrowable(() -> store.claim(request)))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("outbox_claim");
            other.update("ALTER TABLE events.gone RENAME TO outbox_claim");
            assertThat(store.claim(request)).isEmpty();
        }
    }

    private ClaimStore.Round claim(String worker, int batchSize) throws SQLException {
        return claims.claim(ClaimSteps.request("default", worker, batchSize, LEASE, NO_HANDLERS))
                .orElseThrow();
    }
}
