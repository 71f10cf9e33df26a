package dev.outbox.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.testing.OpenTransaction;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class UnorderedEventTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    /** The retry of the first one is due in an hour. */
    @Test
    void waitsForNoOtherAndLeavesNoCounter() {
        Recorded handler = Recorded.failing(
                (attempt) -> attempt.envelope().payload().contains("1") ? new IOException("down") : null);
        outbox.handler("mail", "*", handler).start();

        publish(List.of(1, 2, 3));

        await().untilAsserted(() -> assertThat(handler.handled()).hasSize(2));
        assertThat(handler.handled()).extracting(EventEnvelope::aggregateType).containsOnly(OutboxEvent.UNORDERED);
        assertThat(outbox.count("events.outbox_aggregate")).isZero();
    }

    @Test
    void publishersDoNotWaitForEachOther() throws SQLException {
        publish(List.of(1));
        try (OpenTransaction other = OpenTransaction.of(outbox.owner())) {
            other.run("SELECT 1 FROM events.outbox FOR UPDATE");

            assertThat(publish(IntStream.range(2, 20).boxed().toList()))
                    .extracting(EventEnvelope::aggregateId)
                    .doesNotHaveDuplicates()
                    .hasSize(18);
        }
    }

    @Test
    void sameEventIdIsStoredOnce() {
        UUID id = new UUID(1, 2);
        OutboxEvent event = OutboxEvent.unordered(new OrderPlaced(1)).withEventId(id);
        EventEnvelope first = outbox.publish(event);

        EventEnvelope second =
                outbox.publish(OutboxEvent.unordered(new OrderPlaced(1)).withEventId(id));

        assertThat(second.id()).isEqualTo(first.id());
    }

    @Test
    void eventsOfSeveralServicesNeedNoOwner() {
        publish(List.of(1));
        outbox.publish(OutboxEvent.unordered(new OrderPlaced(2)).withOrigin("/shop"));

        assertThat(publish(List.of(3))).hasSize(1);
    }

    private List<EventEnvelope> publish(List<Integer> numbers) {
        return outbox.inTransaction(() -> outbox.publisher()
                .publishAll(numbers.stream()
                        .map((number) -> OutboxEvent.unordered(new OrderPlaced(number)))
                        .toList()));
    }
}
