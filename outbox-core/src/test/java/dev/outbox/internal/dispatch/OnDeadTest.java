package dev.outbox.internal.dispatch;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.OnDead;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.testing.Guarantee;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class OnDeadTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    @Guarantee(
            value = "G3",
            sentence = "With `onDead = BLOCK`, no event passes a dead event of its handler and aggregate.")
    void blockingDeadEventHoldsBackItsLaneOnly() {
        Recorded ledger = Recorded.failing((attempt) -> isSick(attempt, 2) ? new NonRetryableException("never") : null);
        Recorded audit = Recorded.all();
        outbox.handler(blocking("ledger", ledger)).handler("audit", "*", audit);
        List<EventEnvelope> sameBatch = outbox.publishOrders("sick", 4);
        List<EventEnvelope> others = outbox.publishOrders("well", 4);
        outbox.start();
        await().until(() -> all(others, "PUBLISHED") && outbox.deliveries() == 3);
        EventEnvelope laterBatch = outbox.publish("sick", new OrderPlaced(5));
        await().until(() -> outbox.deliveries() == 4);

        assertThat(outbox.lane()).containsExactly("2 BLOCKING 1", "3 OPEN 0", "4 OPEN 0", "5 OPEN 0");
        assertThat(outbox.event(sameBatch.get(1))).isDead();
        assertThat(outbox.event(sameBatch.get(2))).isRetrying();
        assertThat(outbox.event(laterBatch)).isRetrying();
        assertThat(ledger.sequences()).isEqualTo(Map.of("sick", List.of(1L), "well", List.of(1L, 2L, 3L, 4L)));
        assertThat(audit.sequences())
                .isEqualTo(Map.of("sick", List.of(1L, 2L, 3L, 4L, 5L), "well", List.of(1L, 2L, 3L, 4L)));
        assertThat(outbox.value(
                        Integer.class, "SELECT sum(attempt_count) FROM events.outbox_delivery WHERE status = 'OPEN'"))
                .isZero();
    }

    @Test
    void otherProcessesKeepTheLaneBlockedToo() {
        Recorded ledger = Recorded.failing((attempt) -> isSick(attempt, 1) ? new NonRetryableException("never") : null);
        outbox.handler(blocking("ledger", ledger)).start();
        EventEnvelope dead = outbox.publish("sick", new OrderPlaced(1));
        assertThat(outbox.event(dead)).becomesDead();
        outbox.runtime().close();

        Recorded elsewhere = Recorded.all();
        try (TestOutbox other = outbox.another().handler(blocking("ledger", elsewhere))) {
            outbox.publishOrders("sick", 2);
            EventEnvelope well = outbox.publish("well", new OrderPlaced(1));
            other.start();
            assertThat(outbox.event(well)).becomesPublished();
            await().until(() -> outbox.deliveries() == 3);
        }
        assertThat(outbox.lane()).containsExactly("1 BLOCKING 1", "2 OPEN 0", "3 OPEN 0");
        assertThat(elsewhere.sequences()).isEqualTo(Map.of("well", List.of(1L)));
    }

    @Test
    void eventThatDiesWhileItsLaneDrainsBlocksWhatWasClaimedAlongWithIt() {
        AtomicBoolean down = new AtomicBoolean(true);
        Recorded ledger =
                Recorded.failing((attempt) -> switch ((int) attempt.envelope().sequence()) {
                    case 1 -> down.get() ? new IOException("down") : null;
                    case 3 -> new NonRetryableException("never");
                    default -> null;
                });
        outbox.handler(blocking("ledger", ledger));
        outbox.publishOrders("sick", 5);
        outbox.start();
        await().until(() -> outbox.deliveries() == 5);
        down.set(false);
        new Lanes(outbox).due();

        await().until(() -> outbox.lane().equals(List.of("3 BLOCKING 1", "4 OPEN 0", "5 OPEN 0")));
        assertThat(ledger.sequences()).isEqualTo(Map.of("sick", List.of(1L, 2L)));
        assertThat(outbox.claimedLanes()).isZero();
    }

    @Test
    void eventThatUsesUpItsAttemptsBlocks() {
        outbox.handler(blocking(
                        "ledger",
                        Recorded.failing(
                                (attempt) -> attempt.envelope().sequence() == 1 ? new IOException("down") : null)))
                .retry(TestOutbox.AT_ONCE);
        outbox.publishOrders("sick", 2);
        outbox.start();

        await().until(() -> outbox.lane().equals(List.of("1 BLOCKING 3", "2 OPEN 0")));
    }

    @Test
    void eventWhosePayloadCannotBeDecodedBlocks() {
        List<Integer> placed = new CopyOnWriteArrayList<>();
        outbox.handler(HandlerDefinition.of("place", OrderPlaced.class, (event, envelope) -> placed.add(event.number()))
                .onDead(OnDead.BLOCK));
        outbox.publish(OutboxEvent.of("order", "sick", Map.of("number", "one")).withEventType("OrderPlaced"));
        outbox.publish("sick", new OrderPlaced(2));
        outbox.start();

        await().until(() -> outbox.lane().equals(List.of("1 BLOCKING 1", "2 OPEN 0")));
        assertThat(placed).isEmpty();
    }

    private static boolean isSick(Recorded.Attempt attempt, long seq) {
        return attempt.envelope().aggregateId().equals("sick")
                && attempt.envelope().sequence() == seq;
    }

    private static HandlerDefinition blocking(String id, Recorded handler) {
        return HandlerDefinition.of(id, Set.of("*"), handler).onDead(OnDead.BLOCK);
    }

    private boolean all(List<EventEnvelope> events, String status) {
        return events.stream().allMatch((event) -> outbox.statusOf(event).equals(status));
    }
}
