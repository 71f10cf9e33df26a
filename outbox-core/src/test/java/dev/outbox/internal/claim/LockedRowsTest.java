package dev.outbox.internal.claim;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.testing.Guarantee;
import dev.outbox.testing.OpenTransaction;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Rows that a foreign transaction holds locked delay their aggregate only. */
@Tag("full")
class LockedRowsTest {

    private static final Duration NEVER = Duration.ofHours(1);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    @Guarantee(value = "G4", sentence = "A row that an operator locks before the claim delays its aggregate only.")
    void lockedRowDelaysItsAggregateOnly() throws Exception {
        Recorded handler = Recorded.all();
        outbox.handler("any", "*", handler).poller(Duration.ofMillis(50), 2, Duration.ofMinutes(1));
        outbox.publishOrders("1", 3);
        try (OpenTransaction operator = OpenTransaction.of(outbox.owner())) {
            operator.run("SELECT FROM events.outbox WHERE aggregate_seq = 1 FOR UPDATE");
            IntStream.range(0, 5).forEach((i) -> outbox.publish("other" + i, new OrderPaid(i)));
            outbox.start();
            await().until(() -> handler.handled().size() == 5);
            assertThat(handler.sequences()).doesNotContainKey("1");
        }
        await().until(() -> handler.handled().size() == 8);
        assertThat(handler.sequences()).containsEntry("1", List.of(1L, 2L, 3L));
    }

    @Test
    @Guarantee(value = "G4", sentence = "A row that was locked for a moment does not wait for the end of the backlog.")
    void aggregateIsDeliveredSoonAfterItsRowIsFree() throws Exception {
        try (OpenTransaction operator = OpenTransaction.of(outbox.owner())) {
            Recorded handler = Recorded.all();
            outbox.handler("any", "*", (envelope) -> {
                        if (envelope.aggregateId().equals("other20")) {
                            operator.rollback();
                        }
                        handler.handle(envelope);
                    })
                    .poller(NEVER, 10, Duration.ofMinutes(1));
            outbox.publishOrders("1", 3);
            IntStream.range(0, 500).forEach((i) -> outbox.publish("other" + i, new OrderPaid(i)));
            lockFirstEventOf(operator, "1");
            outbox.start();

            await().until(() -> handler.handled().size() == 503);
            assertThat(handler.sequences()).containsEntry("1", List.of(1L, 2L, 3L));
            List<String> order =
                    handler.handled().stream().map(EventEnvelope::aggregateId).toList();
            assertThat(order.indexOf("1")).isBetween(20, 100);
        }
    }

    @Test
    @Guarantee(value = "G4", sentence = "A row that is locked while its handler runs delays its aggregate only.")
    void rowLockedDuringHandlerDelaysItsAggregateOnly() throws Exception {
        CountDownLatch handling = new CountDownLatch(1);
        CountDownLatch locked = new CountDownLatch(1);
        Recorded handler = Recorded.failing((attempt) -> {
            if (attempt.envelope().aggregateId().equals("1")) {
                handling.countDown();
                awaitLatch(locked);
            }
            return attempt.envelope().sequence() == 2 && attempt.number() == 1 ? new Exception("once") : null;
        });
        outbox.handler("any", "*", handler)
                .retry(TestOutbox.AT_ONCE)
                .poller(Duration.ofMillis(50), 50, Duration.ofSeconds(6));
        outbox.publishOrders("1", 3);
        outbox.start();
        awaitLatch(handling);
        try (OpenTransaction operator = OpenTransaction.of(outbox.owner())) {
            operator.run("SELECT FROM events.outbox WHERE aggregate_seq = 1 FOR UPDATE");
            locked.countDown();
            IntStream.range(0, 5).forEach((i) -> outbox.publish("other" + i, new OrderPaid(i)));

            outbox.awaitPublished(5);
            await().during(Duration.ofSeconds(7))
                    .until(() -> handler.sequences().get("1").equals(List.of(1L)));
            assertThat(outbox.values(
                            String.class, "SELECT DISTINCT status FROM events.outbox_status WHERE aggregate_id = '1'"))
                    .containsExactly("PROCESSING");
        }
        outbox.awaitPublished(8);
        assertThat(handler.sequences()).containsEntry("1", List.of(1L, 2L, 3L));
        assertThat(outbox.claims()).isZero();
    }

    /** The first batch is being written, which a foreign lock holds up, while the second one is claimed without its aggregates. */
    @Test
    void eventThatWasLeftOutBecauseItsAggregateWasBeingWrittenIsClaimedNext() throws Exception {
        try (OpenTransaction operator = OpenTransaction.of(outbox.owner())) {
            Recorded handler = Recorded.all();
            outbox.handler("any", "*", (envelope) -> {
                        if (envelope.aggregateId().equals("9")) {
                            lockFirstEventOf(operator, "0");
                        } else if (envelope.aggregateId().equals("other")) {
                            operator.rollback();
                        }
                        handler.handle(envelope);
                    })
                    .poller(NEVER, 10, Duration.ofMinutes(1));
            IntStream.range(0, 10).forEach((i) -> outbox.publish("" + i, new OrderPaid(i)));
            outbox.publish("0", new OrderPaid(10));
            outbox.publish("other", new OrderPaid(11));
            outbox.start();

            await().until(() -> handler.handled().size() == 12);
            assertThat(handler.sequences()).containsEntry("0", List.of(1L, 2L));
        }
    }

    private static void lockFirstEventOf(OpenTransaction operator, String aggregateId) throws SQLException {
        operator.run("SELECT FROM events.outbox WHERE aggregate_id = '" + aggregateId
                + "' AND aggregate_seq = 1 FOR UPDATE");
    }
}
