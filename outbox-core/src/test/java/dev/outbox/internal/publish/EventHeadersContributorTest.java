package dev.outbox.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.entry;

import dev.outbox.EventEnvelope;
import dev.outbox.EventHeadersContributor;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.runtime.OutboxDependencies.Extensions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.transaction.support.TransactionSynchronizationManager;

class EventHeadersContributorTest {

    private static final OutboxEvent EVENT = OutboxEvent.of("order", "1", new OrderPlaced(1));

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create().withoutPolling();

    @Test
    void headersAreStoredInOrder() {
        contributing(
                (event, headers) -> headers.put("tenant", "first"),
                (event, headers) -> headers.put("tenant", headers.get("tenant") + ", second"));

        assertThat(stored(outbox.publish(EVENT))).containsOnly(entry("tenant", "first, second"));
    }

    @Test
    void headerOfEventWins() {
        contributing((event, headers) -> headers.put("tenant", "contributed " + event.headers()));

        assertThat(stored(outbox.publish(EVENT.withHeader("tenant", "own")))).containsOnly(entry("tenant", "own"));
    }

    @Test
    void eventOfOtherServiceKeepsItsHeaders() {
        contributing((event, headers) -> {
            throw new IllegalStateException("no tenant");
        });

        assertThat(outbox.publish(EVENT.withSequence(1).withOrigin("shop")).headers())
                .containsOnly(entry("origin", "shop"));
    }

    @Test
    void everyEventOfBatchHasHeaders() {
        contributing((event, headers) -> headers.put("aggregate", event.aggregateId()));

        List<EventEnvelope> events = outbox.inTransaction(() ->
                outbox.publisher().publishAll(List.of(EVENT, OutboxEvent.of("order", "2", new OrderPlaced(2)))));

        assertThat(events)
                .extracting((event) -> event.headers().get("aggregate"))
                .containsExactly("1", "2");
    }

    @Test
    void contributorRunsInTransactionOfPublisher() {
        List<Object> seen = new ArrayList<>();
        contributing((event, headers) -> {
            seen.add(Thread.currentThread());
            seen.add(TransactionSynchronizationManager.isActualTransactionActive());
        });

        outbox.publish(EVENT);

        assertThat(seen).containsExactly(Thread.currentThread(), true);
    }

    @Test
    void exceptionRefusesEventAndLeavesTransactionUsable() {
        IllegalStateException cause = new IllegalStateException("no tenant");
        contributing((event, headers) -> {
            if (event.headers().isEmpty()) {
                throw cause;
            }
        });

        outbox.inTransaction(() -> {
            assertThatExceptionOfType(InvalidEventException.class)
                    .isThrownBy(() -> outbox.publisher().publish(EVENT))
                    .withMessageContainingAll("headers contributor", "order/1", "IllegalStateException")
                    .withMessageNotContaining("no tenant")
                    .withCause(cause);
            return outbox.publisher().publish(EVENT.withHeader("any", "1"));
        });

        assertThat(outbox.events()).isOne();
    }

    @Test
    void reservedHeaderIsRefused() {
        contributing((event, headers) -> headers.put(EventEnvelope.ORIGIN, "/shop"));

        assertRefused("the reserved header 'origin'");
    }

    @Test
    void headerWithoutValueIsRefused() {
        contributing((event, headers) -> headers.put("tenant", null));

        assertRefused("a header without a value");
    }

    private void assertRefused(String reason) {
        assertThatExceptionOfType(InvalidEventException.class)
                .isThrownBy(() -> outbox.publish(EVENT))
                .withMessageContaining(reason);
        assertThat(outbox.events()).isZero();
    }

    private void contributing(EventHeadersContributor... contributors) {
        outbox.extensions(new Extensions(Stream::empty, () -> Stream.of(contributors), Stream::empty, Stream::empty));
    }

    private Map<String, String> stored(EventEnvelope event) {
        assertThat(outbox.value(String.class, "SELECT headers ->> 'tenant' FROM events.outbox"))
                .isEqualTo(event.headers().get("tenant"));
        return event.headers();
    }
}
