package dev.outbox.internal.publish;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static dev.outbox.fixture.InBackground.result;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.HeldTransaction;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.testing.Guarantee;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class PublisherSequenceTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void envelopeIsWhatIsStored() {
        EventEnvelope envelope = outbox.publish(OutboxEvent.of("order", "1", Map.of("number", 7))
                .withEventType("OrderImported")
                .withHeader("tenant", "blue")
                .occurredAt(Instant.parse("2026-01-02T03:04:05.123456789Z")));

        assertThat(outbox.value(Boolean.class, """
                                SELECT id = ? AND event_id = ? AND aggregate_seq = 1 AND event_type = 'OrderImported'
                                       AND payload = '{"number": 7}' AND headers = '{"tenant": "blue"}'
                                       AND occurred_at = '2026-01-02T03:04:05.123456Z' AND stream = 'default'
                                  FROM events.outbox
                                """, envelope.id(), envelope.eventId()))
                .isTrue();
        assertThat(envelope.occurredAt()).isEqualTo("2026-01-02T03:04:05.123456Z");
        assertThat(envelope.headers()).containsEntry("tenant", "blue");
        assertThat(envelope.eventId().version()).isEqualTo(7);
    }

    @Test
    void batchKeepsTheOrderOfTheCallerAndNumbersEachAggregate() {
        List<EventEnvelope> envelopes = outbox.inTransaction(() -> outbox.publisher()
                .publishAll(List.of(event("b", 1), event("a", 2), event("b", 3), event("c", 4), event("a", 5))));

        assertThat(envelopes).extracting(EventEnvelope::aggregateId).containsExactly("b", "a", "b", "c", "a");
        assertThat(envelopes).extracting(EventEnvelope::sequence).containsExactly(1L, 1L, 2L, 1L, 2L);
        assertThat(envelopes).extracting(EventEnvelope::id).isSorted();
        assertThat(outbox.inTransaction(() -> outbox.publisher().publishAll(List.of(event("a", 6)))))
                .extracting(EventEnvelope::sequence)
                .containsExactly(3L);
        assertThat(outbox.inTransaction(() -> outbox.publisher().publishAll(List.of())))
                .isEmpty();
    }

    @Test
    void batchesThatMeetInOppositeOrderDoNotLockEachOtherOut() {
        List<OutboxEvent> ascending =
                IntStream.range(0, 50).mapToObj((i) -> event("a" + i, i)).toList();
        List<OutboxEvent> descending = new ArrayList<>(ascending);
        Collections.reverse(descending);
        CompletableFuture<Integer> other = InBackground.run(() -> publishRepeatedly(descending));

        assertThat(publishRepeatedly(ascending)).isEqualTo(100 * 50);
        assertThat(result(other)).isEqualTo(100 * 50);
        assertThat(sequencesOf("a7"))
                .isEqualTo(LongStream.rangeClosed(1, 200).boxed().toList());
    }

    private int publishRepeatedly(List<OutboxEvent> events) {
        int published = 0;
        for (int i = 0; i < 100; i++) {
            published += outbox.inTransaction(() -> outbox.publisher().publishAll(events))
                    .size();
        }
        return published;
    }

    @Test
    @Guarantee(
            value = "G3",
            sentence = "An `aggregate_seq` that Outbox counts has no gaps and equals commit order; handlers keep it.")
    void sequenceFollowsCommitOrder() {
        Recorded handler = Recorded.all();
        outbox.handler("any", "*", handler).start();
        CountDownLatch startedEarly = new CountDownLatch(1);
        CountDownLatch committedLate = new CountDownLatch(1);
        CompletableFuture<EventEnvelope> early = InBackground.run(() -> outbox.inTransaction(() -> {
            outbox.value(Long.class, "SELECT txid_current()");
            startedEarly.countDown();
            awaitLatch(committedLate);
            return outbox.publisher().publish("order", "1", new OrderPlaced(2));
        }));
        awaitLatch(startedEarly);
        EventEnvelope late = outbox.publish("1", new OrderPlaced(1));
        committedLate.countDown();

        assertThat(late.sequence()).isEqualTo(1);
        assertThat(result(early).sequence()).isEqualTo(2);
        assertThat(result(early).id()).isGreaterThan(late.id());
        outbox.awaitPublished(2);
        assertThat(handler.sequences()).containsEntry("1", List.of(1L, 2L));
    }

    @Test
    void laterPublisherOfAnAggregateWaitsForTheEarlierOne() {
        HeldTransaction<EventEnvelope> first = outbox.hold(() -> outbox.publish("1", new OrderPlaced(1)));
        CompletableFuture<EventEnvelope> second = InBackground.run(() -> outbox.publish("1", new OrderPlaced(2)));
        outbox.awaitWaiting(1);
        assertThat(second).isNotDone();

        assertThat(first.commit().sequence()).isEqualTo(1);
        assertThat(result(second).sequence()).isEqualTo(2);
    }

    private static OutboxEvent event(String id, int number) {
        return OutboxEvent.of("order", id, new OrderPlaced(number));
    }

    private List<Long> sequencesOf(String id) {
        return outbox.values(
                Long.class,
                "SELECT aggregate_seq FROM events.outbox WHERE aggregate_id = ? ORDER BY aggregate_seq",
                id);
    }
}
