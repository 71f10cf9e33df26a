package dev.outbox.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.store.SettleStore.Settlement;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Claims begin where the last ones have come to, and miss nothing for it. */
class ScanProgressTest {

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

    private final TestOutbox outbox = TestOutbox.create();
    private final ClaimStore claims = new ClaimStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final SettleStore settlements = new SettleStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final List<Connection> connections = new ArrayList<>();
    private long now;
    private Duration took = Duration.ZERO;
    private final ScanProgress progress = new ScanProgress(() -> now);

    @BeforeEach
    void addStream() throws SQLException {
        new HandlerStore(outbox.dataSource(), OutboxSchema.DEFAULT).addStream("default");
    }

    @AfterEach
    void close() throws SQLException {
        for (Connection connection : connections) {
            connection.rollback();
            connection.setAutoCommit(true);
            connection.close();
        }
        outbox.close();
    }

    @Test
    void startFollowsWhatWasDelivered() throws SQLException {
        publish("a", "b", "c");
        assertThat(round()).containsExactly("a1", "b1", "c1");
        assertThat(progress.next().exact()).isZero();

        round();
        round();
        assertThat(progress.next().exact()).isEqualTo(4);
        assertThat(progress.next().claim()).isEqualTo(2);
        publish("d");
        assertThat(round()).containsExactly("d1");
    }

    @Test
    void eventThatIsStillToBeHandledHoldsTheStart() throws SQLException {
        publish("a", "b");
        Claim held = claims.claim(request(1)).orElseThrow().claim();
        assertThat(held).isNotNull();
        for (int i = 0; i < 4; i++) {
            round();
        }
        assertThat(progress.next().exact()).isEqualTo(1);
        assertThat(progress.next().claim()).isEqualTo(held.id());

        claims.release(held.id());
        assertThat(round()).containsExactly("a1");
    }

    @Test
    void eventThatIsCommittedAfterLaterOnesIsFound() throws SQLException {
        Connection late = begin();
        execute(late, PUBLISH);
        publish("a", "b");
        assertThat(round()).containsExactly("a1", "b1");
        for (int i = 0; i < 3; i++) {
            assertThat(round()).isEmpty();
        }
        assertThat(progress.next().exact()).isZero();

        late.commit();
        assertThat(round()).containsExactly("late1");
        round();
        round();
        assertThat(progress.next().exact()).isEqualTo(4);
    }

    @Test
    void longTransactionIsPassedOverUntilItEndsAndThenNothingOvertakesIt() throws SQLException {
        Connection late = begin();
        execute(late, PUBLISH);
        publish("a", "b");
        assertThat(round()).containsExactly("a1", "b1");
        round();
        now += Duration.ofSeconds(1).toNanos();
        round();
        assertThat(progress.next().exact()).isZero();
        assertThat(progress.next().recent()).isEqualTo(4);
        publish("c");
        assertThat(round()).containsExactly("c1");

        late.commit();
        publish("late", "d");
        assertThat(round()).containsExactly("late1", "late2", "d1");
    }

    @Test
    void rolledBackTransactionHoldsNothingUp() throws SQLException {
        Connection late = begin();
        execute(late, PUBLISH);
        publish("a");
        round();
        round();
        late.rollback();
        round();
        assertThat(progress.next().exact()).isEqualTo(3);
    }

    @Test
    void everythingIsLookedAtNowAndThen() throws SQLException {
        publish("a", "b");
        round();
        round();
        round();
        assertThat(progress.next().exact()).isEqualTo(3);
        publishForeign();
        assertThat(round()).isEmpty();

        now += Duration.ofMinutes(1).toNanos();
        assertThat(round()).containsExactly("foreign1");
    }

    /** Nothing is delivered while a claim looks at everything. */
    @Test
    void everythingIsLookedAtRarelyWhereThatTakesLong() throws SQLException {
        publish("a", "b");
        round();
        now += Duration.ofMinutes(1).toNanos();
        took = Duration.ofSeconds(1);
        round();
        round();
        round();
        assertThat(progress.next().exact()).isEqualTo(3);
        publishForeign();

        now += Duration.ofSeconds(199).toNanos();
        assertThat(round()).isEmpty();
        now += Duration.ofSeconds(1).toNanos();
        took = Duration.ZERO;
        assertThat(round()).containsExactly("foreign1");
        round();
        round();
        outbox.sql().sql("DELETE FROM events.outbox_published WHERE id = 0").update();
        publishForeign();
        now += Duration.ofMinutes(1).toNanos();
        assertThat(round()).containsExactly("foreign1");
    }

    /** It waited for the stream, and looked before it waited. */
    @Test
    void claimThatWasMadeWhileThisOneWaitedIsNotPassed() throws SQLException {
        publish("a", "b", "c");
        ClaimRound first = claims.claim(request(1)).orElseThrow();
        Sighting nothing = new Sighting(first.sighting().next(), 0, null, false, null);
        progress.advance(nothing, first.claim(), took);
        Claim others = claims.claim(request(1)).orElseThrow().claim();
        Claim own = claims.claim(request(1)).orElseThrow().claim();
        progress.advance(nothing, own, took);

        assertThat(others).isNotNull();
        assertThat(own).isNotNull();
        assertThat(own.id()).isGreaterThan(others.id());
        assertThat(progress.next().claim()).isEqualTo(others.id());
    }

    private void publish(String... aggregateIds) {
        for (String id : aggregateIds) {
            outbox.publish(id, new OrderPlaced(1));
        }
    }

    /** Nobody's transaction tells of this one. */
    private void publishForeign() {
        outbox.sql()
                .sql(
                        "INSERT INTO events.outbox_unpublished (id, aggregate_type, aggregate_id, aggregate_seq, event_type, payload)"
                                + " VALUES (0, 'order', 'foreign', 1, 'OrderPlaced', '{\"number\": 1}')")
                .update();
    }

    private Connection begin() throws SQLException {
        Connection connection = outbox.dataSource().getConnection();
        connections.add(connection);
        connection.setAutoCommit(false);
        return connection;
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private ClaimStore.Request request(int batchSize) {
        return new ClaimStore.Request(
                "default",
                "w",
                batchSize,
                LEASE,
                Set.of(),
                ActiveHandlers.ofAllTypes(),
                progress.next(),
                ScanReach.EVERYTHING,
                progress.question());
    }

    /** Claims and delivers, and returns what. */
    private List<String> round() throws SQLException {
        ClaimRound round = claims.claim(request(100)).orElseThrow();
        progress.advance(round.sighting(), round.claim(), took);
        Claim claim = round.claim();
        if (claim == null) {
            return List.of();
        }
        List<Long> ids =
                claim.events().stream().map((event) -> event.envelope().id()).toList();
        settlements.settle(new Settlement(claim.id(), ids, List.of(), true));
        return claim.events().stream()
                .map((event) ->
                        event.envelope().aggregateId() + event.envelope().aggregateSeq())
                .toList();
    }
}
