package dev.outbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import dev.outbox.internal.poll.PollerSettings;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class BatchPayloadTest {

    @RegisterExtension
    private final TestOutbox outbox =
            TestOutbox.create().retry(new RetryPolicy(new Backoff.Delays(List.of(Duration.ZERO)), 2)).stream(
                    "default",
                    new PollerSettings(Duration.ofMillis(50), 100, Duration.ofMinutes(1), Duration.ofSeconds(5)));

    /** Payload whose class fails in a way that Jackson does not wrap. */
    record Fragile(int number) {

        Fragile {
            if (number == 1) {
                throw new LinkageError("on purpose");
            }
        }
    }

    enum Level {
        LOW
    }

    @Test
    void payloadClassThatFailsStopsOnlyItsEvent() {
        List<Integer> handled = new CopyOnWriteArrayList<>();
        outbox.handler(HandlerDefinition.ofBatch(
                "index",
                Set.of("Fragile"),
                Fragile.class,
                (payloads, events, outcome, context) -> payloads.forEach((payload) -> handled.add(payload.number()))));
        for (int number = 0; number < 3; number++) {
            publish("order-" + number, "Fragile", new Numbered(number));
        }

        outbox.start();
        await().until(() -> outbox.deadDeliveries() == 1);
        outbox.awaitPublished(2);
        assertThat(handled).containsExactly(0, 2);
    }

    record Numbered(int number) {}

    @Test
    void failureOfASharedPayloadFailsAllItsEvents() {
        List<String> handled = new CopyOnWriteArrayList<>();
        AtomicBoolean once = new AtomicBoolean(true);
        outbox.handler(HandlerDefinition.ofBatch(
                "index", Set.of("Level"), Level.class, (payloads, events, outcome, context) -> {
                    if (once.getAndSet(false)) {
                        outcome.failed(payloads.get(1), new IllegalStateException("on purpose"));
                    } else {
                        events.stream().map(EventEnvelope::aggregateId).forEach(handled::add);
                    }
                }));
        publish("order-1", "Level", Level.LOW);
        publish("order-2", "Level", Level.LOW);

        outbox.start();
        outbox.awaitPublished(2);
        assertThat(handled).containsExactlyInAnyOrder("order-1", "order-2");
    }

    private void publish(String aggregateId, String type, Object payload) {
        outbox.publish(OutboxEvent.of("order", aggregateId, payload).withEventType(type));
    }
}
