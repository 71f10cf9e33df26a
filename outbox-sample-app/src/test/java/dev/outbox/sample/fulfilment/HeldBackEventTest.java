package dev.outbox.sample.fulfilment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.sample.Api;
import dev.outbox.sample.Envelopes;
import dev.outbox.sample.SampleTest;
import dev.outbox.sample.events.OrderEvent;
import dev.outbox.sample.events.OrderEvent.OrderItemChanged;
import dev.outbox.sample.events.OrderEvent.OrderPaid;
import dev.outbox.sample.events.OrderEvent.OrderPlaced;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.TestPropertySource;
import org.springframework.transaction.support.TransactionTemplate;

/** A producer whose numbers have a gap. */
@SampleTest
class HeldBackEventTest {

    private final String order = "ORD-" + UUID.randomUUID();

    @Autowired
    private Api api;

    @Autowired
    private OutboxPublisher outbox;

    @Autowired
    private Fulfilments fulfilments;

    @Autowired
    private TransactionTemplate transaction;

    @Test
    void eventWaitsUntilItsPredecessorArrives() {
        publishWithGap();
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.events())
                        .extracting("aggregateSeq", "status", "lastErrorCode")
                        .containsExactly(tuple(1, "PUBLISHED", null), tuple(3, "RETRYING", "OutOfOrderException")));
        assertThat(api.find("/fulfilments/" + order))
                .containsEntry("status", "waiting")
                .containsEntry("lastSeq", 1);

        EventEnvelope missing = Envelopes.of("order", order, 2, "OrderItemChanged", "{}", Map.of());
        fulfilments.follow(new OrderItemChanged("candle"), missing);

        api.awaitPublished();
        assertThat(api.find("/fulfilments/" + order))
                .containsEntry("item", "candle")
                .containsEntry("status", "ready")
                .containsEntry("lastSeq", 3);
    }

    @Nested
    @TestPropertySource(
            properties = {
                "outbox.handlers.[fulfilment.order].retry.initial-delay=100ms",
                "outbox.handlers.[fulfilment.order].retry.max-attempts=6"
            })
    class AfterSixAttempts {

        @Test
        void eventIsNotHeldBackForEver() {
            publishWithGap();

            await().atMost(Api.DEADLINE)
                    .untilAsserted(() -> assertThat(api.events())
                            .extracting("aggregateSeq", "status", "lastErrorCode", "retryCount")
                            .contains(tuple(3, "DEAD", "OutOfOrderException", 6)));
            assertThat(api.find("/fulfilments/" + order)).containsEntry("lastSeq", 1);
        }
    }

    private void publishWithGap() {
        transaction.executeWithoutResult((status) -> {
            publish(1, new OrderPlaced("torch"));
            publish(3, new OrderPaid("torch", Instant.now()));
        });
    }

    private void publish(long seq, OrderEvent event) {
        outbox.publish(OutboxEvent.of("order", order, event)
                .withSequence(seq)
                .withHeader(EventEnvelope.TRACE_ID, api.traceId()));
    }
}
