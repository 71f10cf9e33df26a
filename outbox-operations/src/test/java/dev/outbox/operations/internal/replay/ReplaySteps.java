package dev.outbox.operations.internal.replay;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.claim.ClaimSteps;
import dev.outbox.internal.dispatch.DeliveryOutcome;
import dev.outbox.internal.dispatch.Dispatcher.DueDelivery;
import dev.outbox.internal.failure.Failure;
import dev.outbox.internal.lane.LaneSteps;
import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.internal.registry.HandlerStore;
import dev.outbox.internal.registry.Subscription;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.operations.Replay;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.fixture.Operator;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the threads of a runtime would do, one step after the other, in the order that a test needs. */
abstract class ReplaySteps {

    static final Duration LEASE = Duration.ofMinutes(1);
    static final Duration HOUR = Duration.ofHours(1);
    static final Failure FAILURE = new Failure("E", "e");
    static final DeliveryOutcome FAILED = DeliveryOutcome.retry(FAILURE, HOUR, true);
    static final Duration SECOND = Duration.ofSeconds(1);
    static final ActiveHandlers MAIL = ActiveHandlers.ofAllTypes("mail");

    @RegisterExtension
    final TestOutbox outbox = TestOutbox.create().withoutPolling();

    final HandlerStore handlers = new HandlerStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    final ClaimSteps claims = new ClaimSteps(outbox);
    final LaneSteps deliveries = new LaneSteps(outbox);
    final ReplayFeeder feeder = ReplayFeeders.of(Operator.of(outbox).replays());

    @BeforeEach
    void register() throws SQLException {
        handlers.addStream("default");
        register("mail", "*");
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

    ClaimSteps.Found claim() throws SQLException {
        return claims.claim(1000, MAIL);
    }

    void settle(ClaimSteps.Found round) throws SQLException {
        assertThat(claims.settle(round)).isTrue();
    }

    void queue(ClaimSteps.Found round, Map<EventEnvelope, String> handlers, DeliveryOutcome outcome)
            throws SQLException {
        assertThat(claims.queue(round, handlers, outcome)).isTrue();
    }

    List<DueDelivery> claimDue() throws SQLException {
        return deliveries.claimDue(1000, MAIL);
    }

    void settle(DeliveryOutcome outcome, List<DueDelivery> attempted) throws SQLException {
        assertThat(deliveries.settle(attempted, outcome)).isEqualTo(attempted.size());
    }

    long start(ReplayRequest request) {
        return Operator.of(outbox).replays().start(request, "ann", "why not");
    }

    Replay replay(long id) {
        return Operator.of(outbox).replays().find(id).orElseThrow();
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
