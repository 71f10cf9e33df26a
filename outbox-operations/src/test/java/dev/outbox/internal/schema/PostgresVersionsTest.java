package dev.outbox.internal.schema;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.retention.RetentionSteps;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.Replay;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.Replays;
import dev.outbox.operations.ScheduledEvents;
import dev.outbox.operations.fixture.Operator;
import dev.outbox.testing.PostgresBinaries;
import dev.outbox.testing.ServerSettings;
import dev.outbox.testing.TestPostgres;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("full")
class PostgresVersionsTest {

    @ParameterizedTest
    @ValueSource(ints = {15, 16, 17, 18})
    void everyStatementWorksOnEverySupportedVersion(int major) throws Exception {
        try (TestPostgres server = TestPostgres.start(PostgresBinaries.ofMajor(major), ServerSettings.fast());
                TestOutbox outbox = TestOutbox.create(server)) {
            assertThat(server.majorVersion()).isEqualTo(major);
            Recorded handler = Recorded.failing((attempt) -> attempt.number() < 3 ? new IOException("flaky") : null);
            outbox.handler("any", "*", handler)
                    .retry(TestOutbox.AT_ONCE)
                    .withNotifications()
                    .start();
            UUID eventId = UUID.randomUUID();
            OutboxEvent chosen =
                    OutboxEvent.of("order", "1", new OrderPlaced(1)).withEventId(eventId);
            long id = outbox.publish(chosen).id();
            assertThat(outbox.publish(chosen).id()).isEqualTo(id);
            List<EventEnvelope> batch = outbox.inTransaction(() -> outbox.publisher()
                    .publishAll(IntStream.range(0, 20)
                            .mapToObj((i) -> OutboxEvent.of("order", Integer.toString(i % 3), new OrderPlaced(i)))
                            .toList()));

            outbox.awaitPublished(21);
            assertThat(batch)
                    .allSatisfy((event) -> assertThat(outbox.event(event)).isPublished());
            assertThat(outbox.deliveries()).isZero();
            replay(outbox);
            assertThat(RetentionSteps.archive(outbox)).isEqualTo(21);
            schedule(outbox);
            outbox.runtime().close();
            assertThat(retryAndSkip(outbox)).isEqualTo(2);
            pauseAndResume(Operator.of(outbox).operations());
        }
    }

    /** Returns how many operations are on record. */
    private static int retryAndSkip(TestOutbox outbox) {
        OutboxOperations operations = Operator.of(outbox).operations();
        Lanes lanes = new Lanes(outbox);
        DeliverySelection dead = DeliverySelection.lane("elsewhere", "order", "dead")
                .withStatus(DeliveryStatus.DEAD)
                .created(Instant.EPOCH, null);
        outbox.publishOrders("dead", 2).forEach((event) -> lanes.dead("elsewhere", event));
        assertThat(operations.find(dead, 1)).hasSize(1);
        assertThat(operations.retry(dead, "ann", "try again").affected()).isEqualTo(2);
        assertThat(operations.skip(dead, "ann", "never mind").affected()).isZero();
        assertThat(operations.operations(new OperationSelection(null, null, "ann", null, null, null, null), 10))
                .hasSize(2);
        DeliverySelection waiting = DeliverySelection.all().ofHandler("elsewhere");
        assertThat(operations.skip(waiting, "bob", "never mind").affected()).isEqualTo(2);
        return operations
                .operations(new OperationSelection(null, null, "bob", null, null, null, null), 10)
                .size();
    }

    private static void pauseAndResume(OutboxOperations operations) {
        assertThat(operations.pauseNewHandler("new", "ann", "to see")).isTrue();
        assertThat(operations.pauseHandler("any", "ann", "to see")).isTrue();
        assertThat(operations.resumeHandler("any", "ann", "to see")).isTrue();
        assertThat(operations.pauseStream("default", "ann", "to see")).isTrue();
        assertThat(operations.resumeStream("default", "ann", "to see")).isTrue();
        assertThat(operations.expireHandler("any", "ann", "to see")).isTrue();
    }

    private static void replay(TestOutbox outbox) {
        Replays replays = Operator.of(outbox).replays();
        long some = replays.start(ReplayRequest.of("any").aggregate("order", "unknown"), "eve", "to see");
        long all = replays.start(ReplayRequest.of("any").rate(1000), "eve", "to see");
        await().atMost(Duration.ofSeconds(30))
                .until(() -> Objects.equals(
                        replays.find(all).orElseThrow().progress().delivered(), 21L));
        await().atMost(Duration.ofSeconds(30))
                .until(() -> replays.find(some).orElseThrow().status() == Replay.Status.DONE);
        long cancelled = replays.start(ReplayRequest.of("any").rate(1), "eve", "to see");
        assertThat(replays.cancel(cancelled, "eve")).isTrue();
        await().until(() -> outbox.deliveries() == 0);
    }

    private static void schedule(TestOutbox outbox) {
        OutboxEvent later = OutboxEvent.of("order", "later", new OrderPlaced(1)).withKey("key");
        OutboxPublisher publisher = outbox.publisher();
        outbox.inTransaction(() -> publisher.publish(later.deliverAfter(Duration.ofHours(1))));
        EventEnvelope event = outbox.inTransaction(
                () -> publisher.publish(later.deliverAfter(Duration.ZERO).keepExisting()));
        ScheduledEvents scheduled = Operator.of(outbox).scheduled();
        assertThat(scheduled.find(null, null, 10)).hasSize(1);
        assertThat(scheduled.find("order", null, 10)).hasSize(1);
        assertThat(scheduled.deliverNow(event.eventId(), "eve", "to see")).isTrue();
        outbox.awaitPublished(1);
        assertThat(outbox.inTransaction(() -> publisher.cancel("order", "later", "key")))
                .isFalse();
        assertThat(scheduled.cancel(event.eventId(), "eve", "to see")).isFalse();
    }
}
