package dev.outbox.internal.replay;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.claim.ClaimRound;
import dev.outbox.internal.claim.ClaimStore;
import dev.outbox.internal.claim.SettlementStore;
import dev.outbox.internal.claim.SettlementStore.Settlement;
import dev.outbox.internal.dispatch.DeliveryOutcome;
import dev.outbox.internal.dispatch.DueDelivery;
import dev.outbox.internal.failure.Failure;
import dev.outbox.internal.lane.AttemptedDelivery;
import dev.outbox.internal.lane.DeliveryClaimStore;
import dev.outbox.internal.lane.DeliverySettlementStore;
import dev.outbox.internal.lane.QueuedDelivery;
import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.internal.registry.HandlerStore;
import dev.outbox.internal.registry.Subscription;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.operations.Replay;
import dev.outbox.operations.ReplayRequest;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** What the threads of a runtime would do, one step after the other, in the order that a test needs. */
abstract class ReplaySteps {

    static final Duration LEASE = Duration.ofMinutes(1);
    static final Duration HOUR = Duration.ofHours(1);
    static final Failure FAILURE = new Failure("E", "e");
    static final DeliveryOutcome FAILED = DeliveryOutcome.retry(FAILURE, HOUR, true);
    static final Duration SECOND = Duration.ofSeconds(1);
    static final ActiveHandlers MAIL = ActiveHandlers.ofAllTypes("mail");

    final TestOutbox outbox = TestOutbox.create().withoutPolling();
    final HandlerStore handlers = new HandlerStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    final ClaimStore claims = new ClaimStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    final SettlementStore settlements = new SettlementStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    final DeliveryClaimStore deliveries = new DeliveryClaimStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    final DeliverySettlementStore outcomes = new DeliverySettlementStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    final ReplayFeeder feeder = ReplayFeeders.of(outbox, outbox.runtime().replays());

    @BeforeEach
    void register() throws SQLException {
        handlers.addStream("default");
        register("mail", "*");
    }

    @AfterEach
    void close() {
        outbox.close();
    }

    void register(String id, String... eventTypes) throws SQLException {
        handlers.register(
                Map.of(id, Stream.of(eventTypes).map(Subscription::ofType).collect(Collectors.toSet())),
                Map.of(),
                Duration.ofDays(7));
    }

    /** Publishes events that are handled at once. */
    void publish(String aggregate, int events) throws SQLException {
        outbox.inTransaction(() -> Stream.iterate(1, (number) -> number + 1)
                .limit(events)
                .map((number) -> outbox.publisher().publish("order", aggregate, new OrderPlaced(number)))
                .toList());
        settle(claim());
    }

    ClaimRound claim() throws SQLException {
        return claims.claim(new ClaimStore.Request("default", "w", 1000, LEASE, MAIL))
                .orElseThrow();
    }

    void settle(ClaimRound round) throws SQLException {
        List<Long> ids = round.claim().events().stream()
                .map((event) -> event.envelope().id())
                .toList();
        assertThat(settlements
                        .settle(new Settlement(round.claim().key(), ids, List.of(), true))
                        .claimHeld())
                .isTrue();
    }

    void queue(ClaimRound round, Map<EventEnvelope, String> handlers, DeliveryOutcome outcome) throws SQLException {
        List<QueuedDelivery> parked = handlers.entrySet().stream()
                .map((one) -> new QueuedDelivery(one.getKey().id(), one.getValue(), outcome))
                .toList();
        assertThat(settlements
                        .settle(new Settlement(round.claim().key(), List.of(), parked, true))
                        .claimHeld())
                .isTrue();
    }

    List<DueDelivery> claimDue() throws SQLException {
        return deliveries.claimDue(new DeliveryClaimStore.Request("default", "w", MAIL, 1000, Set.of(), true, LEASE));
    }

    void settle(DeliveryOutcome outcome, List<DueDelivery> attempted) throws SQLException {
        List<AttemptedDelivery> all = attempted.stream()
                .map((one) -> new AttemptedDelivery(one, outcome))
                .toList();
        assertThat(outcomes.settle(all, List.of(), Set.of()).written()).hasSize(all.size());
    }

    long start(ReplayRequest request) {
        return outbox.runtime().replays().start(request, "ann", "why not");
    }

    Replay replay(long id) {
        return outbox.runtime().replays().find(id).orElseThrow();
    }

    long fed(long id) {
        return replay(id).progress().fed();
    }

    void feed(int rounds) throws SQLException {
        for (int round = 0; round < rounds; round++) {
            ReplayFeeders.allow(outbox, SECOND);
            feeder.runOnce();
        }
    }

    void awaitWaiting() {
        await().until(() -> outbox.sql()
                        .sql("SELECT count(*) FROM pg_stat_activity"
                                + " WHERE datname = current_database() AND wait_event_type = 'Lock'")
                        .query(Integer.class)
                        .single()
                == 1);
    }

    /** Sequence and status of the deliveries for an aggregate. */
    List<String> lane(String aggregate) {
        return outbox.sql()
                .sql("SELECT aggregate_seq || ' ' || status FROM events.outbox_delivery WHERE aggregate_id = ?"
                        + " ORDER BY aggregate_seq, status")
                .param(aggregate)
                .query(String.class)
                .list();
    }
}
