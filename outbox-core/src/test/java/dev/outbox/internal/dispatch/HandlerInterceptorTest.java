package dev.outbox.internal.dispatch;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.springframework.transaction.support.TransactionSynchronizationManager.isActualTransactionActive;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.HandlerInterceptor;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.runtime.OutboxDependencies.Extensions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class HandlerInterceptorTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create().retry(TestOutbox.AT_ONCE);

    private final List<String> steps = new CopyOnWriteArrayList<>();

    @Test
    void surroundsHandlerAndItsTransactionInOrder() {
        intercepting(noting("outer"), noting("inner"))
                .handler(HandlerDefinition.of("any", Set.of("*"), (envelope) -> note("handler"))
                        .deduplicating())
                .start();
        outbox.publish("1", new OrderPlaced(1));
        outbox.awaitPublished(1);

        assertThat(steps)
                .containsExactly(
                        "outer begins, transaction: false",
                        "inner begins, transaction: false",
                        "handler, transaction: true",
                        "inner ends, transaction: false",
                        "outer ends, transaction: false");
    }

    @Test
    void seesAllEventsOfBatch() {
        intercepting((call, chain) -> {
                    steps.add(call.handlerId() + " " + call.events().size() + " " + call.replayed());
                    chain.proceed();
                })
                .handler(HandlerDefinition.ofBatch("index", Set.of("*"), null, (payloads, events, outcome, context) -> {
                    steps.add("handler " + events.size());
                }));
        outbox.publishTogether(2, 2);
        outbox.start();

        outbox.awaitPublished(2);
        assertThat(steps).containsExactly("index 2 false", "handler 2");
    }

    @Test
    void exceptionFailsAttempt() {
        intercepting((call, chain) -> {
                    steps.add("attempt " + call.attempt());
                    if (call.attempt() == 1) {
                        throw new IllegalStateException("no tenant");
                    }
                    chain.proceed();
                })
                .handler("any", "*", (envelope) -> steps.add("handler"))
                .start();
        outbox.publish("1", new OrderPlaced(1));

        outbox.awaitPublished(1);
        assertThat(steps).containsExactly("attempt 1", "attempt 2", "handler");
    }

    @Test
    void cannotDropEvent() {
        intercepting((call, chain) -> {})
                .handler("any", "*", (envelope) -> steps.add("handler"))
                .start();
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));

        await().untilAsserted(() -> assertThat(outbox.errors())
                .singleElement()
                .asString()
                .contains("IllegalStateException", "without a call to proceed()"));
        assertThat(outbox.published()).isZero();
        assertThat(steps).as("handler of %s", event).isEmpty();
    }

    @Test
    void cannotInvokeHandlerTwice() {
        intercepting((call, chain) -> {
                    chain.proceed();
                    chain.proceed();
                })
                .handler("any", "*", (envelope) -> {})
                .start();
        outbox.publish("1", new OrderPlaced(1));

        await().untilAsserted(() ->
                assertThat(outbox.errors()).singleElement().asString().contains("called proceed() twice"));
    }

    private TestOutbox intercepting(HandlerInterceptor... interceptors) {
        return outbox.extensions(
                new Extensions(Stream::empty, Stream::empty, () -> Stream.of(interceptors), Stream::empty));
    }

    private HandlerInterceptor noting(String name) {
        return (call, chain) -> {
            note(name + " begins");
            chain.proceed();
            note(name + " ends");
        };
    }

    private void note(String step) {
        steps.add(step + ", transaction: " + isActualTransactionActive());
    }
}
