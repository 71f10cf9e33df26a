package dev.outbox.internal.publish;

import static dev.outbox.fixture.InBackground.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.EventConflictException;
import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.HeldTransaction;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.LoggedLines;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PublisherIdempotencyTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @RegisterExtension
    private final LoggedLines log = LoggedLines.of(EventStore.class);

    private final UUID eventId = UUID.randomUUID();

    @Test
    void repeatedEventIdReturnsStoredEvent() {
        EventEnvelope first = publish(eventId, "1");
        EventEnvelope again = publish(eventId, "1");

        assertThat(again.id()).isEqualTo(first.id());
        assertThat(again.sequence()).isEqualTo(1);
        assertThat(again.payload()).isEqualTo("{\"number\": 1}");
        assertThat(outbox.publish("1", new OrderPaid(2)).sequence()).isEqualTo(2);
        assertThat(outbox.events()).isEqualTo(2);
    }

    @Test
    void repeatedEventIdIsKnownAfterPublication() {
        outbox.handler("any", "*", (envelope) -> {}).start();
        EventEnvelope first = publish(eventId, "1");
        outbox.awaitPublished(1);
        EventEnvelope again = publish(eventId, "1");

        assertThat(again.id()).isEqualTo(first.id());
        assertThat(outbox.events()).isEqualTo(1);
        assertThat(outbox.publish("1", new OrderPaid(2)).sequence()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void transactionsThatRaceWithOneEventIdStoreItOnceWithoutAGap(boolean firstCommits) {
        HeldTransaction<EventEnvelope> first = outbox.hold(() -> publish(eventId, "1"));
        CompletableFuture<EventEnvelope> second = InBackground.run(() -> publish(eventId, "1"));
        outbox.awaitWaiting(1);

        long id = (firstCommits ? first.commit() : first.rollBack()).id();
        assertThat(result(second).id() == id).isEqualTo(firstCommits);
        assertThat(result(second).sequence()).isEqualTo(1);
        assertThat(outbox.events()).isEqualTo(1);
        assertThat(outbox.publish("1", new OrderPaid(2)).sequence()).isEqualTo(2);
    }

    @Test
    void racingTransactionsStoreOneEventIdOnce() {
        HeldTransaction<EventEnvelope> first = outbox.hold(() -> publish(eventId, "1"));
        CompletableFuture<EventEnvelope> second = InBackground.run(() -> publish(eventId, "2"));
        outbox.awaitWaiting(1);

        assertThat(first.commit().sequence()).isEqualTo(1);
        assertThatThrownBy(() -> result(second)).isInstanceOf(EventConflictException.class);
        assertThat(outbox.events()).isEqualTo(1);
        assertThat(outbox.publish("2", new OrderPlaced(1)).sequence()).isEqualTo(1);
    }

    @Test
    void refusesEventIdOfAnotherEvent() {
        publish(eventId, "1");
        outbox.inTransaction(() -> {
            assertThatThrownBy(() -> outbox.publisher().publish(event(eventId, "2")))
                    .isInstanceOf(EventConflictException.class)
                    .hasMessageContaining(eventId.toString());
            assertThatThrownBy(() -> outbox.publisher()
                            .publish(OutboxEvent.of("order", "1", new OrderPaid(1))
                                    .withEventId(eventId)))
                    .isInstanceOf(EventConflictException.class);
            return outbox.publisher().publish("order", "2", new OrderPlaced(1));
        });

        assertThat(outbox.events()).isEqualTo(2);
    }

    @Test
    void batchWithKnownAndRepeatedIdsStoresEachOnce() {
        EventEnvelope known = publish(eventId, "1");
        UUID twice = UUID.randomUUID();
        List<EventEnvelope> envelopes = outbox.inTransaction(() -> outbox.publisher()
                .publishAll(List.of(
                        event(twice, "1"),
                        event(eventId, "1"),
                        event(twice, "1"),
                        OutboxEvent.of("order", "1", new OrderPaid(1)))));

        assertThat(envelopes).extracting(EventEnvelope::sequence).containsExactly(2L, 1L, 2L, 3L);
        assertThat(envelopes.get(1).id()).isEqualTo(known.id());
        assertThat(outbox.events()).isEqualTo(3);
    }

    @Test
    void anotherPayloadForAnEventIdIsReported() {
        publish(eventId, "1");
        publish(eventId, "1");
        assertThat(log.messages()).isEmpty();

        OutboxEvent other = OutboxEvent.of("order", "1", new OrderPlaced(2)).withEventId(eventId);
        EventEnvelope stored = outbox.publish(other);

        assertThat(stored.payload()).isEqualTo("{\"number\": 1}");
        UUID twice = UUID.randomUUID();
        outbox.inTransaction(() -> outbox.publisher().publishAll(List.of(event(twice, "1"), other.withEventId(twice))));
        assertThat(log.messages())
                .containsExactly(
                        "Event id " + eventId
                                + " of OrderPlaced (order/1) was published again with another payload,"
                                + " and the first payload stays; use a new id for another event",
                        "Event id " + twice + " of OrderPlaced (order/1) was published again with another payload,"
                                + " and the first payload stays; use a new id for another event");
    }

    private EventEnvelope publish(UUID id, String aggregateId) {
        return outbox.publish(event(id, aggregateId));
    }

    private static OutboxEvent event(UUID id, String aggregateId) {
        return OutboxEvent.of("order", aggregateId, new OrderPlaced(1)).withEventId(id);
    }
}
