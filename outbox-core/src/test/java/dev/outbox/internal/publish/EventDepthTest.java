package dev.outbox.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.BatchHandler;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.LoggedLines;
import dev.outbox.fixture.MovingClock;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.MDC;

/** Chains of events in which a handler of each event publishes the next. */
class EventDepthTest {

    private static final int END = 120;

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @RegisterExtension
    private final LoggedLines log = LoggedLines.of(EventDepth.class);

    @AfterEach
    void close() {
        MDC.clear();
    }

    @Test
    void eventOfAHandlerIsOneDeeperThanTheHandledOne() {
        Recorded last = Recorded.all();
        publishing("first", "First", (event) -> typed("Second"));
        publishing("second", "Second", (event) -> typed("Third").withHeader("channel", "web"));
        outbox.handler("last", "Third", last).start();

        EventEnvelope root = outbox.publish(typed("First"));
        await().until(() -> !last.handled().isEmpty());

        assertThat(root.headers()).isEmpty();
        assertThat(last.handled().get(0).headers()).isEqualTo(Map.of(EventDepth.HEADER, "2", "channel", "web"));
        assertThat(log.messages()).isEmpty();
    }

    @Test
    void scheduledEventBeginsANewChain() {
        Recorded last = Recorded.all();
        publishing("first", "First", (event) -> typed("Second"));
        publishing(
                "second",
                "Second",
                (event) -> typed("Third")
                        .withHeader(EventDepth.HEADER, event.headers().get(EventDepth.HEADER))
                        .deliverAfter(Duration.ZERO));
        outbox.handler("last", "Third", last).start();

        outbox.publish(typed("First"));
        await().until(() -> !last.handled().isEmpty());

        assertThat(last.handled().get(0).headers()).isEmpty();
    }

    @Test
    void batchHandlerContinuesTheLongestChain() {
        Recorded last = Recorded.all();
        publishing("first", "First", (event) -> typed("Second"));
        BatchHandler<EventEnvelope> batch = (events, envelopes, outcome, context) -> outbox.publish(typed("Third"));
        outbox.handler(HandlerDefinition.ofBatch("batch", Set.of("Second"), null, batch))
                .handler("last", "Third", last)
                .start();

        outbox.publish(typed("First"));
        await().until(() -> !last.handled().isEmpty());

        assertThat(last.handled().get(0).headers()).isEqualTo(Map.of(EventDepth.HEADER, "2"));
    }

    @Test
    void loopThroughNewAggregatesIsReportedOnce() {
        loop(
                "Placed",
                (depth) -> OutboxEvent.of("order", "new-" + depth, new OrderPlaced(depth))
                        .withEventType("Placed"));

        assertThat(log.messages())
                .singleElement()
                .asString()
                .contains("Handler 'loop Placed'", "Placed of order/new-100", "chain of 100 events", "deliverAfter");
    }

    @Test
    void loopOfTwoTypesIsReportedForEach() {
        publishing("pong", "Ping", (event) -> depth(event) < END ? typed("Pong") : null);
        loop("Pong", (depth) -> typed("Ping"));

        assertThat(log.messages()).hasSize(2).anyMatch((line) -> line.contains("Pong of order/1"));
    }

    @Test
    void loopOfUnorderedEventsIsReported() {
        loop("Placed", (depth) -> OutboxEvent.unordered(new OrderPlaced(depth)).withEventType("Placed"));

        assertThat(log.messages()).hasSize(1);
    }

    @Test
    void reportIsRepeatedForEachTypeAndMinute() {
        MovingClock clock = new MovingClock();
        outbox.clock(clock);
        MDC.put("handlerId", "loop");
        MDC.put(EventDepth.HEADER, "98");
        outbox.publish(typed("Placed"));
        assertThat(log.messages()).isEmpty();

        MDC.put(EventDepth.HEADER, "99");
        outbox.publish(typed("Placed"));
        outbox.publish(typed("Placed"));
        outbox.publish(typed("Paid"));
        assertThat(log.messages()).hasSize(2);

        clock.advance(Duration.ofSeconds(59));
        outbox.publish(typed("Placed"));
        assertThat(log.messages()).hasSize(2);
        clock.advance(Duration.ofSeconds(1));
        outbox.publish(typed("Placed"));
        assertThat(log.messages()).hasSize(3);
    }

    @Test
    void depthThatAnotherServiceWroteIsNotTrusted() {
        Recorded last = Recorded.all();
        publishing("first", "First", (event) -> typed("Second"));
        outbox.handler("last", "Second", last).start();

        for (String depth : List.of("secret", "-5", "99999999999", "")) {
            outbox.publish(OutboxEvent.of("received", "1", new OrderPlaced(1))
                    .withEventType("First")
                    .withSequence(depth.length())
                    .withOrigin("shop")
                    .withHeader(EventDepth.HEADER, depth));
        }
        await().until(() -> last.handled().size() == 4);

        assertThat(last.handled())
                .extracting((event) -> event.headers().get(EventDepth.HEADER))
                .containsOnly("1");
    }

    /** Repeats until the end of the chain, which is stored completely: nothing is refused. */
    private void loop(String type, Function<Integer, OutboxEvent> next) {
        Recorded last = Recorded.all();
        publishing("loop " + type, type, (event) -> depth(event) < END ? next.apply(depth(event) + 1) : null);
        outbox.handler("all", "*", last).start();

        outbox.publish(next.apply(0));
        await().until(() -> last.handled().stream().anyMatch((event) -> depth(event) == END));

        assertThat(last.handled()).hasSize(END + 1);
    }

    private static int depth(EventEnvelope event) {
        return Integer.parseInt(event.headers().getOrDefault(EventDepth.HEADER, "0"));
    }

    private void publishing(String id, String type, Function<EventEnvelope, OutboxEvent> next) {
        outbox.handler(id, type, (event) -> {
            OutboxEvent following = next.apply(event);
            if (following != null) {
                outbox.publish(following);
            }
        });
    }

    private static OutboxEvent typed(String type) {
        return OutboxEvent.of("order", "1", new OrderPlaced(1)).withEventType(type);
    }
}
