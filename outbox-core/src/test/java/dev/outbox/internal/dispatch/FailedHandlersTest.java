package dev.outbox.internal.dispatch;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.MDC;

/** Failures of every kind, and what a delivery records of them. */
class FailedHandlersTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void nonRetryableFailureIsDeadAtOnce() {
        Recorded handler = Recorded.failing((attempt) -> new NonRetryableException("no such customer"));
        outbox.handler("mail", "*", handler).retry(TestOutbox.AT_ONCE).start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));

        assertThat(outbox.event(envelope)).becomesDead().hasDelivery("mail").withError("no such customer");
        assertThat(handler.attemptsOf(envelope)).isEqualTo(1);
    }

    @Test
    void undecodablePayloadIsDeadForItsHandlerOnlyAndTheRawPayloadIsKept() {
        Recorded audit = Recorded.all();
        List<Integer> placed = new CopyOnWriteArrayList<>();
        outbox.handler(HandlerDefinition.of(
                        "place", OrderPlaced.class, (event, envelope) -> placed.add(event.number())))
                .handler("audit", "*", audit)
                .retry(TestOutbox.AT_ONCE)
                .start();
        EventEnvelope broken = outbox.publish(
                OutboxEvent.of("order", "1", Map.of("number", "secret")).withEventType("OrderPlaced"));
        EventEnvelope fine = outbox.publish("1", new OrderPlaced(2));

        assertThat(outbox.event(broken)).becomesDead();
        assertThat(outbox.event(fine)).becomesPublished();
        assertThat(placed).containsExactly(2);
        assertThat(audit.handled()).hasSize(2);
        assertThat(outbox.event(broken))
                .hasDelivery("place")
                .withErrorCode("UNDECODABLE_PAYLOAD")
                .afterFailures(1)
                .withErrorSatisfying(
                        (error) -> assertThat(error).doesNotContain("secret").contains("number"));
        assertThat(outbox.value(String.class, "SELECT payload::text FROM events.outbox WHERE id = ?", broken.id()))
                .isEqualTo("{\"number\": \"secret\"}");
    }

    @Test
    void errorsOfAnyKindAreSurvived() {
        Recorded handler =
                Recorded.failing((attempt) -> switch (attempt.envelope().aggregateId()) {
                    case "error" -> sneak(new StackOverflowError());
                    case "unstorable" -> new IOException("\0 and \uD800");
                    case "long" -> new IOException("x".repeat(100_000));
                    case "messageless" -> new IOException();
                    case "broken" -> new BrokenException();
                    default -> null;
                });
        outbox.handler("mail", "*", handler).retry(TestOutbox.AT_ONCE);
        List<EventEnvelope> events = IntStream.range(0, 5)
                .mapToObj((i) -> outbox.publish(
                        List.of("error", "unstorable", "long", "messageless", "broken")
                                .get(i),
                        new OrderPlaced(i)))
                .toList();
        outbox.start();

        events.forEach((event) -> assertThat(outbox.event(event)).becomesDead());
        assertThat(outbox.event(events.get(0))).hasDelivery("mail").withErrorCode("StackOverflowError");
        assertThat(outbox.event(events.get(1))).hasDelivery("mail").withError("\uFFFD and \uFFFD");
        assertThat(outbox.event(events.get(2)))
                .hasDelivery("mail")
                .withErrorSatisfying((error) -> assertThat(error).hasSize(2000));
        assertThat(outbox.event(events.get(3))).hasDelivery("mail").withError("null");
    }

    private static final class BrokenException extends Exception {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("broken too");
        }

        @Override
        public synchronized Throwable getCause() {
            throw new IllegalStateException("broken as well");
        }
    }

    private static Exception sneak(Error error) {
        throw error;
    }

    @Test
    void logContextNamesTheDelivery() {
        List<Map<String, String>> contexts = new CopyOnWriteArrayList<>();
        outbox.handler("mail", "*", (envelope) -> {
                    contexts.add(MDC.getCopyOfContextMap());
                    if (contexts.size() == 1) {
                        throw new IOException("again");
                    }
                })
                .retry(TestOutbox.AT_ONCE)
                .start();
        MDC.put("traceId", "trace-1");
        EventEnvelope envelope = outbox.publish("42", new OrderPlaced(1));
        MDC.remove("traceId");

        assertThat(outbox.event(envelope)).becomesPublished();
        assertThat(contexts.get(0))
                .containsEntry("traceId", "trace-1")
                .containsEntry("eventId", envelope.eventId().toString())
                .containsEntry("stream", "default")
                .containsEntry("eventType", "OrderPlaced")
                .containsEntry("aggregateType", "order")
                .containsEntry("aggregateId", "42")
                .containsEntry("handlerId", "mail")
                .containsEntry("attempt", "1");
        assertThat(contexts.get(1)).containsEntry("attempt", "2");
    }
}
