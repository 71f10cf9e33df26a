package dev.outbox.internal.claim;

import static dev.outbox.internal.claim.ClaimSteps.ids;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.claim.SettlementStore.Settlement;
import dev.outbox.internal.lease.LeaseStore;
import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.testing.OpenTransaction;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Claims start at the low-water mark of the stream, and miss nothing for it. */
class ClaimWindowTest {

    private static final Duration LEASE = Duration.ofMinutes(1);

    /** As a publisher does it, but on a connection of its own, whose transaction lasts as long as it is wanted. */
    private static final String PUBLISH = """
            WITH counter AS (
                INSERT INTO events.outbox_aggregate AS a (aggregate_type, aggregate_id, last_seq)
                VALUES ('order', 'late', 1)
                ON CONFLICT (aggregate_type, aggregate_id) DO UPDATE SET last_seq = a.last_seq + 1
                RETURNING last_seq
            )
            INSERT INTO events.outbox_unpublished (aggregate_type, aggregate_id, aggregate_seq, event_type, payload)
            SELECT 'order', 'late', counter.last_seq, 'OrderPlaced', '{"number": 1}' FROM counter
            """;

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final ClaimStore claims = new ClaimStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final LeaseStore leases = new LeaseStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final SettlementStore settlements = new SettlementStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final List<OpenTransaction> transactions = new ArrayList<>();

    @BeforeEach
    void addStream() throws SQLException {
        outbox.addStream("default");
    }

    @AfterEach
    void close() throws SQLException {
        for (OpenTransaction transaction : transactions) {
            transaction.close();
        }
    }

    @Test
    void lowWaterMarkFollowsDeliveredEvents() throws SQLException {
        outbox.publishOrders("a", "b", "c");
        assertThat(round()).containsExactly("a1", "b1", "c1");
        assertThat(mark("safe_mark")).isLessThanOrEqualTo(1);

        round();
        round();
        assertThat(mark("safe_mark")).isEqualTo(4);
        assertThat(mark("first_claim")).isEqualTo(2);
        outbox.publishOrders("d");
        assertThat(round()).containsExactly("d1");
    }

    @Test
    void unhandledEventsHoldTheMarks() throws SQLException {
        outbox.publishOrders("a", "b", "c");
        ClaimStore.Claim first = claims.claim(request(1)).orElseThrow().claim();
        ClaimStore.Claim second = claims.claim(request(1)).orElseThrow().claim();
        for (int i = 0; i < 4; i++) {
            round();
        }
        assertThat(mark("safe_mark")).isEqualTo(1);
        assertThat(mark("first_claim")).isEqualTo(first.key().id());

        settlements.settle(new Settlement(first, List.of(1L), List.of(), true, false));
        round();
        round();
        assertThat(mark("first_claim")).isEqualTo(second.key().id());

        leases.release(second.key());
        assertThat(round()).containsExactly("b1");
    }

    @Test
    void eventCommittedAfterLaterOnesIsFound() throws SQLException {
        OpenTransaction late = begin();
        late.run(PUBLISH);
        outbox.publishOrders("a", "b");
        assertThat(round()).containsExactly("a1", "b1");
        for (int i = 0; i < 3; i++) {
            assertThat(round()).isEmpty();
        }
        assertThat(mark("safe_mark")).isLessThanOrEqualTo(1);

        late.commit();
        assertThat(round()).containsExactly("late1");
        round();
        round();
        assertThat(mark("safe_mark")).isEqualTo(4);
    }

    @Test
    void nothingOvertakesALongTransactionThatWasPassedOver() throws SQLException {
        OpenTransaction late = begin();
        late.run(PUBLISH);
        outbox.publishOrders("a", "b");
        assertThat(round()).containsExactly("a1", "b1");
        round();
        letPass("1 second");
        round();
        assertThat(mark("safe_mark")).isLessThanOrEqualTo(1);
        assertThat(mark("low_water_mark")).isEqualTo(4);
        outbox.publishOrders("c");
        assertThat(round()).containsExactly("c1");

        late.commit();
        outbox.publishOrders("late", "d");
        assertThat(round()).containsExactly("late1", "late2", "d1");
    }

    @Test
    void unadvancedClaimReturnsToTransactionThatWasPassedOver() throws SQLException {
        OpenTransaction late = begin();
        late.run(PUBLISH);
        outbox.publishOrders("a");
        assertThat(round()).containsExactly("a1");
        round();
        letPass("1 second");
        round();
        assertThat(mark("low_water_mark")).isEqualTo(3);

        late.commit();
        outbox.publishOrders("late");
        assertThat(round(ClaimStore.Window.AS_IT_IS)).containsExactly("late1", "late2");
    }

    /** Each begins before the one before it ends, and takes longer than a second. */
    @Test
    void safeMarkFollowsOverlappingTransactions() throws SQLException {
        OpenTransaction[] writers = {begin(), begin()};
        writers[0].run(PUBLISH.replace("'late'", "'late0'"));
        List<String> found = new ArrayList<>();
        for (int i = 1; i <= 8; i++) {
            writers[i % 2].run(PUBLISH.replace("'late'", "'late" + i + "'"));
            outbox.publishOrders("a");
            letPass("2 seconds");
            found.addAll(round());
            writers[(i + 1) % 2].commit();
        }
        assertThat(mark("safe_mark")).isGreaterThan(8);

        writers[0].commit();
        found.addAll(round());
        assertThat(found).hasSize(17).doesNotHaveDuplicates();
        assertThat(found).filteredOn((event) -> event.startsWith("late")).hasSize(9);
    }

    @Test
    void windowStartsAnewWhenTheIdSequenceGoesBack() throws SQLException {
        outbox.publishOrders("a", "b", "c");
        round();
        round();
        round();
        assertThat(mark("safe_mark")).isEqualTo(4);
        outbox.update("TRUNCATE events.outbox RESTART IDENTITY");
        outbox.publishOrders("d");

        assertThat(round()).containsExactly("d1");
        outbox.publishOrders("e");
        assertThat(round()).containsExactly("e1");
    }

    /** As after a move by logical replication: new events have small ids. */
    @Test
    void nothingIsClaimedWhileTheIdSequenceLags() throws SQLException {
        outbox.publishOrders("a", "b");
        claims.claim(request(1));
        outbox.update("ALTER SEQUENCE events.outbox_id_seq RESTART");

        for (ClaimStore.Window window : List.of(ClaimStore.Window.ADVANCED, ClaimStore.Window.AS_IT_IS)) {
            assertThatThrownBy(() -> claims.claim(request(10, window)))
                    .isInstanceOf(OutboxConfigurationException.class)
                    .hasMessageContaining("SELECT setval('events.outbox_id_seq', 2 + 1000)");
        }

        outbox.value(Long.class, "SELECT setval('events.outbox_id_seq', 1002)");
        assertThat(round()).containsExactly("b1");
    }

    @Test
    void rolledBackTransactionHoldsNoMark() throws SQLException {
        OpenTransaction late = begin();
        late.run(PUBLISH);
        outbox.publishOrders("a");
        round();
        round();
        late.rollback();
        round();
        assertThat(mark("safe_mark")).isEqualTo(3);
    }

    @Test
    void wholeQueueClaimFindsForeignEvents() throws SQLException {
        outbox.publishOrders("a", "b");
        round();
        round();
        round();
        assertThat(mark("safe_mark")).isEqualTo(3);
        publishForeign();
        assertThat(round()).isEmpty();

        assertThat(round(ClaimStore.Window.WHOLE_QUEUE)).containsExactly("foreign1");
    }

    @Test
    void claimStartsAnewWithMarksOfAnotherCluster() throws SQLException {
        outbox.publishOrders("a");
        outbox.update("UPDATE events.outbox_stream SET low_water_mark = 100, safe_mark = 100, next_mark = 100,"
                + " horizon = '999999999', next_horizon = '999999999'");

        assertThat(round()).containsExactly("a1");
    }

    @Test
    void idleClaimLeavesTheRowUnchanged() throws SQLException {
        outbox.publishOrders("a");
        for (int i = 0; i < 4; i++) {
            round();
        }
        String version = rowVersion();

        claims.claim(request(100));
        assertThat(rowVersion()).isEqualTo(version);
    }

    @Test
    void advancesRarelyWhileAnOldSnapshotIsHeld() throws SQLException {
        OpenTransaction reader = begin();
        reader.rollback();
        reader.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ");
        reader.run("SELECT 1");
        beginTransactions(12_000);
        outbox.publishOrders("a");
        round();
        String version = rowVersion();

        outbox.publishOrders("b");
        assertThat(round()).containsExactly("b1");
        assertThat(rowVersion()).isEqualTo(version);

        beginTransactions(300);
        outbox.publishOrders("c");
        assertThat(round()).containsExactly("c1");
        assertThat(rowVersion()).isNotEqualTo(version);

        version = rowVersion();
        reader.rollback();
        outbox.publishOrders("d");
        assertThat(round()).containsExactly("d1");
        assertThat(rowVersion()).isNotEqualTo(version);
    }

    /** Uses up transaction ids. */
    private void beginTransactions(int number) {
        outbox.update("""
                        DO $$ BEGIN
                            CREATE TEMP TABLE used (n int) ON COMMIT DROP;
                            FOR n IN 1..%d LOOP
                                BEGIN
                                    INSERT INTO used VALUES (n);
                                EXCEPTION WHEN division_by_zero THEN
                                    NULL;
                                END;
                            END LOOP;
                        END $$
                        """.formatted(number));
    }

    private String rowVersion() {
        return outbox.value(String.class, "SELECT xmin::text FROM events.outbox_stream");
    }

    private long mark(String column) {
        return outbox.value(Long.class, "SELECT " + column + " FROM events.outbox_stream");
    }

    private void letPass(String time) {
        outbox.update(
                "UPDATE events.outbox_stream SET advanced_at = advanced_at - ?::interval WHERE advanced_at > 'epoch'",
                time);
    }

    /** No other transaction reveals this one. */
    private void publishForeign() {
        outbox.update(
                "INSERT INTO events.outbox_unpublished (id, aggregate_type, aggregate_id, aggregate_seq, event_type, payload)"
                        + " VALUES (0, 'order', 'foreign', 1, 'OrderPlaced', '{\"number\": 1}')");
    }

    private OpenTransaction begin() throws SQLException {
        OpenTransaction transaction = OpenTransaction.of(outbox.dataSource());
        transactions.add(transaction);
        return transaction;
    }

    private ClaimStore.Request request(int batchSize) {
        return request(batchSize, ClaimStore.Window.ADVANCED);
    }

    private ClaimStore.Request request(int batchSize, ClaimStore.Window window) {
        return new ClaimStore.Request(
                "default",
                "w",
                batchSize,
                LEASE,
                ActiveHandlers.ofAllTypes(),
                ScanLimit.Reach.EVERYTHING,
                window,
                OffsetDateTime.MIN,
                Set.of());
    }

    private List<String> round() throws SQLException {
        return round(ClaimStore.Window.ADVANCED);
    }

    /** Claims and delivers, and returns what; the window may advance. */
    private List<String> round(ClaimStore.Window window) throws SQLException {
        ClaimStore.Claim claim =
                claims.claim(request(100, window)).orElseThrow().claim();
        if (claim == null) {
            return List.of();
        }
        settlements.settle(new Settlement(claim, ids(claim), List.of(), true, false));
        return claim.events().stream()
                .map((event) ->
                        event.envelope().aggregateId() + event.envelope().sequence())
                .toList();
    }
}
