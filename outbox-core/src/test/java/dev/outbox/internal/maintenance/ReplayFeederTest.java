package dev.outbox.internal.maintenance;

import static dev.outbox.fixture.InBackground.result;
import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.Orders.OrderPlaced;
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
import dev.outbox.internal.store.RetentionStore;
import dev.outbox.internal.store.SettlementStore;
import dev.outbox.internal.store.SettlementStore.Settlement;
import dev.outbox.operations.Replay;
import dev.outbox.operations.Replay.Status;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.testing.Guarantee;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One step after the other: what the threads of a runtime would do, in the order that a test is about. */
class ReplayFeederTest {

    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Failure FAILURE = new Failure("E", "e");
    private static final DeliveryOutcome FAILED = new DeliveryOutcome.Retry(FAILURE, HOUR, true);
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final ActiveHandlers MAIL = ActiveHandlers.ofAllTypes("mail");

    private final TestOutbox outbox = TestOutbox.create().withoutPolling();
    private final HandlerStore handlers = new HandlerStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final ClaimStore claims = new ClaimStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final SettlementStore settlements = new SettlementStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final DeliveryClaimStore deliveries = new DeliveryClaimStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final DeliverySettlementStore outcomes =
            new DeliverySettlementStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final ReplayFeeder feeder =
            ReplayFeeders.of(outbox, outbox.runtime().replays());

    @BeforeEach
    void register() throws SQLException {
        handlers.addStream("default");
        register("mail", "*");
    }

    @AfterEach
    void close() {
        outbox.close();
    }

    @Test
    void eventsAreFedNoFasterThanTheRate() throws SQLException {
        publish("1", 100);
        long id = start(ReplayRequest.of("mail").rate(10));

        // By the database's clock: what was not used counts for a second at most.
        ReplayFeeders.allow(outbox, Duration.ofHours(3));
        feeder.runOnce();
        assertThat(fed(id)).isEqualTo(10);
        ReplayFeeders.allow(outbox, Duration.ofMillis(-60_000));
        assertThat(feeder.runOnce()).isPositive();
        assertThat(fed(id)).isEqualTo(10);
        ReplayFeeders.allow(outbox, Duration.ofHours(3));
        feeder.runOnce();
        assertThat(fed(id)).isEqualTo(20);
        assertThat(outbox.sql()
                        .sql("SELECT fed_at > now() - interval '1 second' FROM events.outbox_replay")
                        .query(Boolean.class)
                        .single())
                .isTrue();
    }

    @Test
    void twoFeedersShareTheRateAndFeedNothingTwice() throws SQLException {
        publish("1", 300);
        long id = start(ReplayRequest.of("mail").rate(100));
        List<ReplayFeeder> both =
                List.of(feeder, ReplayFeeders.of(outbox, outbox.runtime().replays()));
        for (int round = 1; round <= 3; round++) {
            ReplayFeeders.allow(outbox, SECOND);
            List<CompletableFuture<Duration>> rounds =
                    both.stream().map((one) -> InBackground.run(one::runOnce)).toList();
            rounds.forEach(InBackground::result);
            assertThat(fed(id))
                    .isEqualTo(outbox.count("events.outbox_delivery"))
                    .isGreaterThanOrEqualTo(100L * round);
        }
        Replay.Origin origin = replay(id).origin();
        double seconds = outbox.sql()
                .sql("SELECT extract(epoch FROM clock_timestamp() - created_at)::float8 FROM events.outbox_replay")
                .query(Double.class)
                .single();
        assertThat(origin.by()).isEqualTo("ann");
        assertThat(fed(id)).isLessThanOrEqualTo((long) (300 + 100 * seconds));
    }

    @Test
    void waitsForSlowHandlerButNotForFailingLane() throws SQLException {
        publish("slow", 600);
        publish("fast", 600);
        long id = start(ReplayRequest.of("mail").rate(200));

        feed(10);
        assertThat(fed(id)).isEqualTo(500);
        settle(FAILED, claimDue());
        // The lane of 500 stands still: there is room for others.
        feed(10);
        assertThat(fed(id)).isBetween(1000L, 1100L);
        assertThat(lane("fast").size()).isBetween(400, 500);
    }

    @Test
    void feedsPausedHandler() throws SQLException {
        publish("1", 700);
        long id = start(ReplayRequest.of("mail").rate(500));
        outbox.sql().sql("UPDATE events.outbox_handler SET paused = true").update();

        feed(3);
        assertThat(fed(id)).isEqualTo(700);
    }

    @Test
    void onlyWhatIsSelectedIsFed() throws SQLException {
        register("letters", "OrderPlaced", "OrderPaid");
        Instant noon = Instant.parse("2026-01-01T12:00:00Z");
        OutboxEvent first = OutboxEvent.of("order", "1", new OrderPlaced(1)).occurredAt(noon);
        OutboxEvent second = OutboxEvent.of("order", "2", new OrderPaid(1)).occurredAt(noon.plusSeconds(60));
        OutboxEvent third = OutboxEvent.of("invoice", "1", new OrderPaid(1)).occurredAt(noon.plusSeconds(120));
        OutboxEvent unwanted = OutboxEvent.of("invoice", "1", new OrderPaid(2)).withEventType("OrderLost");
        List<UUID> ids = new ArrayList<>();
        List<Instant> published = new ArrayList<>();
        for (OutboxEvent event : List.of(first, second, third, unwanted)) {
            ids.add(outbox.inTransaction(() -> outbox.publisher().publish(event))
                    .eventId());
            settle(claim());
            published.add(outbox.sql()
                    .sql("SELECT max(published_at) FROM events.outbox_published")
                    .query((row, number) -> row.getTimestamp(1).toInstant())
                    .single());
        }
        ReplayRequest letters = ReplayRequest.of("letters");

        assertThat(selected(letters)).containsExactly(1L, 2L, 3L);
        assertThat(selected(letters.eventTypes("OrderPaid"))).containsExactly(2L, 3L);
        assertThat(selected(letters.aggregate("order", null))).containsExactly(1L, 2L);
        assertThat(selected(letters.aggregate("order", "2"))).containsExactly(2L);
        assertThat(selected(letters.occurred(noon, noon.plusSeconds(120)))).containsExactly(1L, 2L);
        assertThat(selected(letters.occurred(noon.plusSeconds(60), null))).containsExactly(2L, 3L);
        assertThat(selected(letters.published(published.get(1), null))).containsExactly(2L, 3L);
        assertThat(selected(letters.published(null, published.get(1)))).containsExactly(1L);
        assertThat(selected(letters.events(ids.get(2), ids.get(0), ids.get(3)))).containsExactly(1L, 3L);
        assertThat(selected(letters.events(ids.get(2), ids.get(0)).eventTypes("OrderPlaced")))
                .containsExactly(1L);
    }

    @Test
    void largeHistoryIsLookedAtInWindows() throws SQLException {
        outbox.sql().sql("""
                        INSERT INTO events.outbox (aggregate_type, aggregate_id, aggregate_seq, event_type, payload, status,
                                                   dispatched_at, published_at)
                        SELECT 'order', '1', n, CASE WHEN n % 12000 = 0 THEN 'OrderPaid' ELSE 'OrderPlaced' END, '{}', 'PUBLISHED',
                               now(), now()
                          FROM generate_series(1, 25000) n
                        """).update();
        long id = start(ReplayRequest.of("mail").eventTypes("OrderPaid").rate(100));
        ReplayFeeders.allow(outbox, SECOND);

        assertThat(feeder.runOnce()).isZero();
        assertThat(fed(id)).isZero();
        assertThat(feeder.runOnce()).isZero();
        assertThat(fed(id)).isEqualTo(1);
        feeder.runOnce();
        assertThat(fed(id)).isEqualTo(2);
        assertThat(replay(id).progress().allFed()).isTrue();
    }

    @Test
    void skipsOpenDeliveriesOfTheHandlerOnly() throws SQLException {
        EventEnvelope first = outbox.publish("1", new OrderPlaced(1));
        queue(claim(), Map.of(first, "mail"), FAILED);
        EventEnvelope second = outbox.publish("2", new OrderPlaced(1));
        queue(claim(), Map.of(second, "billing"), FAILED);
        EventEnvelope third = outbox.publish("3", new OrderPlaced(1));
        queue(claim(), Map.of(third, "billing"), new DeliveryOutcome.Dead(FAILURE, false));
        outbox.publish("4", new OrderPlaced(1));
        long id = start(ReplayRequest.of("mail"));

        feed(2);
        // The fourth waits for its first pass, and comes by itself.
        assertThat(fed(id)).isEqualTo(2);
        assertThat(lane("1")).containsExactly("1 DUE");
        assertThat(lane("2")).containsExactly("1 DUE", "1 DUE");
        assertThat(lane("3")).containsExactly("1 DEAD", "1 DUE");
        assertThat(outbox.event(third)).isRetrying();
        settle(new DeliveryOutcome.Succeeded(), claimDue());
        assertThat(outbox.event(first)).isRetrying();
        assertThat(outbox.event(second)).isRetrying();
        assertThat(outbox.event(third)).isDead();
        feed(1);
        assertThat(replay(id).status()).isEqualTo(Status.DONE);
    }

    @Test
    void waitsForEventsClaimedBeforeTheReplay() throws SQLException {
        publish("1", 1);
        EventEnvelope claimed = outbox.publish("2", new OrderPlaced(1));
        ClaimRound before = claim();
        publish("3", 1);
        // The claim was made before the handler was registered.
        register("search", "*");
        long id = start(ReplayRequest.of("search"));

        feed(3);
        assertThat(lane("1")).containsExactly("1 DUE");
        assertThat(lane("2")).isEmpty();
        assertThat(lane("3")).isEmpty();
        assertThat(replay(id).progress().allFed()).isFalse();
        settle(before);
        assertThat(outbox.event(claimed)).isPublished();
        feed(3);
        assertThat(lane("2")).containsExactly("1 DUE");
        assertThat(lane("3")).containsExactly("1 DUE");
        assertThat(replay(id).progress().allFed()).isTrue();
    }

    @Test
    void replayDemotesHeadThatBacksOff() throws SQLException {
        publish("1", 2);
        EventEnvelope live = outbox.publish("1", new OrderPlaced(3));
        queue(claim(), Map.of(live, "mail"), FAILED);
        String due = nextRetryOf(live);
        long id = start(ReplayRequest.of("mail"));
        feed(1);

        assertThat(lane("1")).containsExactly("1 DUE", "2 WAITING", "3 WAITING");
        List<DueDelivery> replayed = claimDue();
        // The third has failed, and is not due before its time.
        assertThat(replayed).extracting((one) -> one.envelope().aggregateSeq()).containsExactly(1L, 2L);
        settle(new DeliveryOutcome.Succeeded(), replayed);
        assertThat(lane("1")).containsExactly("3 DUE");
        assertThat(nextRetryOf(live)).isEqualTo(due);
        assertThat(claimDue()).isEmpty();
    }

    @Test
    void replayWaitsUntilTheWorkerHasFinishedTheLane() throws SQLException {
        publish("1", 2);
        List<EventEnvelope> live =
                List.of(outbox.publish("1", new OrderPlaced(3)), outbox.publish("1", new OrderPlaced(4)));
        queue(claim(), Map.of(live.get(0), "mail", live.get(1), "mail"), new DeliveryOutcome.Queued());
        List<DueDelivery> taken = claimDue();
        assertThat(taken).hasSize(2);
        long id = start(ReplayRequest.of("mail"));
        feed(1);

        assertThat(lane("1")).containsExactly("1 WAITING", "2 WAITING", "3 DUE", "4 WAITING");
        assertThat(outcomes.settle(List.of(succeeded(taken.get(0))), List.of(), List.of(taken.get(1)))
                        .written())
                .hasSize(1);
        assertThat(lane("1")).containsExactly("1 WAITING", "2 WAITING", "4 DUE");
        assertThat(claimDue()).isEmpty();
        settle(new DeliveryOutcome.Succeeded(), taken.subList(1, 2));
        assertThat(claimDue())
                .extracting((one) -> one.envelope().aggregateSeq())
                .containsExactly(1L, 2L);
    }

    @Test
    void replayWaitsForEventOfItsAggregateInProgress() throws SQLException {
        publish("1", 2);
        outbox.publish("1", new OrderPlaced(3));
        ClaimRound handling = claim();
        long id = start(ReplayRequest.of("mail").events(eventId("1", 1), eventId("1", 2)));
        feed(1);

        assertThat(lane("1")).containsExactly("1 DUE", "2 WAITING");
        assertThat(claimDue()).isEmpty();
        settle(handling);
        outbox.publish("1", new OrderPlaced(4));
        // Who claims now knows of the lane, and leaves the handler to it: a busy aggregate does not hold its replay up.
        assertThat(claim().claim().events().get(0).blockedHandlers()).containsExactly("mail");
        assertThat(claimDue()).hasSize(2);
    }

    @Test
    void replayWaitsForClaimInProgress() throws SQLException {
        publish("1", 1);
        start(ReplayRequest.of("mail"));
        ReplayFeeders.allow(outbox, SECOND);
        // A claim has read the heads of lanes, and commits after the replay.
        try (Connection claimer = outbox.dataSource().getConnection()) {
            claimer.setAutoCommit(false);
            claimer.createStatement().execute("SELECT FROM events.outbox_stream FOR UPDATE");
            CompletableFuture<Duration> feeding = InBackground.run(feeder::runOnce);
            awaitWaiting();
            claimer.createStatement().execute("""
                            INSERT INTO events.outbox_claim (stream, worker, locked_until, event_ids, aggregates)
                            VALUES ('default', 'other', now() + interval '1 minute', '{}',
                                    ARRAY[hashtextextended('order' || chr(31) || '1', 0)])
                            """);
            claimer.commit();
            result(feeding);
        }

        assertThat(lane("1")).containsExactly("1 DUE");
        assertThat(claimDue()).isEmpty();
        outbox.sql().sql("DELETE FROM events.outbox_claim").update();
        assertThat(claimDue()).hasSize(1);
    }

    @Test
    void headThatBlocksItsLaneStays() throws SQLException {
        publish("1", 1);
        EventEnvelope live = outbox.publish("1", new OrderPlaced(2));
        queue(claim(), Map.of(live, "mail"), new DeliveryOutcome.Dead(FAILURE, true));
        long id = start(ReplayRequest.of("mail"));
        feed(1);

        assertThat(lane("1")).containsExactly("1 WAITING", "2 DEAD");
        assertThat(claimDue()).isEmpty();
    }

    @Test
    void replayJoinsTheLaneOfARenamedHandler() throws SQLException {
        publish("1", 1);
        EventEnvelope live = outbox.publish("1", new OrderPlaced(2));
        queue(claim(), Map.of(live, "mail"), FAILED);
        handlers.register(Map.of("letters", Set.of("*")), Map.of("letters", List.of("mail")), Duration.ofDays(7));
        long id = start(ReplayRequest.of("letters"));
        feed(1);

        assertThat(lane("1")).containsExactly("1 DUE", "2 WAITING");
        assertThat(outbox.sql()
                        .sql("SELECT DISTINCT handler_id FROM events.outbox_delivery")
                        .query(String.class)
                        .list())
                .containsExactly("mail");
    }

    @Test
    @Guarantee(value = "G8", sentence = "Retention keeps events that a replay still has to deliver.")
    void archiveLeavesEventsOfAnUnfinishedReplay() throws SQLException {
        publish("1", 3);
        long id = start(ReplayRequest.of("mail").events(eventId("1", 2)));
        feed(1);
        RetentionStore archive =
                new RetentionStore(outbox.dataSource(), OutboxSchema.DEFAULT, new OutboxSchema("audit"));

        assertThat(archive.archive(RetentionStore.Batch.BEGINNING.upTo(), Duration.ZERO, 10, true)
                        .rows())
                .isEqualTo(2);
        List<DueDelivery> due = claimDue();
        assertThat(due).extracting((one) -> one.envelope().aggregateSeq()).containsExactly(2L);
        settle(new DeliveryOutcome.Succeeded(), due);
        assertThat(archive.archive(RetentionStore.Batch.BEGINNING.upTo(), Duration.ZERO, 10, true)
                        .rows())
                .isEqualTo(1);
    }

    @Test
    void doesNotFeedEventBeingArchived() throws SQLException {
        publish("1", 2);
        long id = start(ReplayRequest.of("mail"));
        ReplayFeeders.allow(outbox, SECOND);
        // The archive has looked at deliveries, and has not committed when the replay comes.
        try (Connection archive = outbox.dataSource().getConnection()) {
            archive.setAutoCommit(false);
            archive.createStatement()
                    .execute(
                            "SELECT pg_advisory_xact_lock_shared(hashtextextended('outbox history of \"events\"', 0))");
            archive.createStatement().execute("DELETE FROM events.outbox_published WHERE aggregate_seq = 1");
            CompletableFuture<Duration> feeding = InBackground.run(feeder::runOnce);
            awaitWaiting();
            archive.commit();
            result(feeding);
        }

        assertThat(fed(id)).isEqualTo(1);
        assertThat(lane("1")).containsExactly("2 DUE");
    }

    private void register(String id, String... eventTypes) throws SQLException {
        handlers.register(Map.of(id, Set.of(eventTypes)), Map.of(), Duration.ofDays(7));
    }

    /** Publishes events that are handled at once. */
    private void publish(String aggregate, int events) throws SQLException {
        outbox.inTransaction(() -> Stream.iterate(1, (number) -> number + 1)
                .limit(events)
                .map((number) -> outbox.publisher().publish("order", aggregate, new OrderPlaced(number)))
                .toList());
        settle(claim());
    }

    private ClaimRound claim() throws SQLException {
        return claims.claim(new ClaimStore.Request("default", "w", 1000, LEASE, Set.of(), MAIL))
                .orElseThrow();
    }

    private void settle(ClaimRound round) throws SQLException {
        List<Long> ids = round.claim().events().stream()
                .map((event) -> event.envelope().id())
                .toList();
        assertThat(settlements
                        .settle(new Settlement(round.claim().key(), ids, List.of(), true))
                        .claimHeld())
                .isTrue();
    }

    private void queue(ClaimRound round, Map<EventEnvelope, String> handlers, DeliveryOutcome outcome)
            throws SQLException {
        List<QueuedDelivery> parked = handlers.entrySet().stream()
                .map((one) -> new QueuedDelivery(one.getKey().id(), one.getValue(), outcome))
                .toList();
        assertThat(settlements
                        .settle(new Settlement(round.claim().key(), List.of(), parked, true))
                        .claimHeld())
                .isTrue();
    }

    private List<DueDelivery> claimDue() throws SQLException {
        return deliveries.claimDue(new DeliveryClaimStore.Request("default", "w", MAIL, 1000, Set.of(), true, LEASE));
    }

    private void settle(DeliveryOutcome outcome, List<DueDelivery> attempted) throws SQLException {
        List<AttemptedDelivery> all = attempted.stream()
                .map((one) -> new AttemptedDelivery(one, outcome))
                .toList();
        assertThat(outcomes.settle(all, List.of()).written()).hasSize(all.size());
    }

    private static AttemptedDelivery succeeded(DueDelivery delivery) {
        return new AttemptedDelivery(delivery, new DeliveryOutcome.Succeeded());
    }

    private long start(ReplayRequest request) {
        return outbox.runtime().replays().start(request, "ann", "why not");
    }

    private Replay replay(long id) {
        return outbox.runtime().replays().find(id).orElseThrow();
    }

    private long fed(long id) {
        return replay(id).progress().fed();
    }

    private void feed(int rounds) throws SQLException {
        for (int round = 0; round < rounds; round++) {
            ReplayFeeders.allow(outbox, SECOND);
            feeder.runOnce();
        }
    }

    /** The ids of the events that a replay takes, which is cancelled then. */
    private List<Long> selected(ReplayRequest request) throws SQLException {
        long id = start(request);
        feed(1);
        List<Long> selected = outbox.sql()
                .sql("SELECT outbox_id FROM events.outbox_delivery ORDER BY outbox_id")
                .query(Long.class)
                .list();
        assertThat(outbox.runtime().replays().cancel(id, "ann")).isTrue();
        assertThat(outbox.count("events.outbox_delivery")).isZero();
        return selected;
    }

    private void awaitWaiting() {
        await().until(() -> outbox.sql()
                        .sql("SELECT count(*) FROM pg_stat_activity"
                                + " WHERE datname = current_database() AND wait_event_type = 'Lock'")
                        .query(Integer.class)
                        .single()
                == 1);
    }

    private UUID eventId(String aggregate, long seq) {
        return outbox.sql()
                .sql("SELECT event_id FROM events.outbox WHERE aggregate_id = ? AND aggregate_seq = ?")
                .params(Arrays.asList(aggregate, seq))
                .query(UUID.class)
                .single();
    }

    private String nextRetryOf(EventEnvelope event) {
        return outbox.sql()
                .sql("SELECT next_retry_at::text FROM events.outbox_delivery WHERE outbox_id = ?")
                .param(event.id())
                .query(String.class)
                .single();
    }

    /** Sequence and status of the deliveries for an aggregate. */
    private List<String> lane(String aggregate) {
        return outbox.sql()
                .sql("SELECT aggregate_seq || ' ' || status FROM events.outbox_delivery WHERE aggregate_id = ?"
                        + " ORDER BY aggregate_seq, status")
                .param(aggregate)
                .query(String.class)
                .list();
    }
}
