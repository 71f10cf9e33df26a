package dev.outbox.internal.registry;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.HandlerDefinition.Source;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.internal.publish.PublisherSettings;
import dev.outbox.listener.OutboxListener;
import dev.outbox.operations.EventDetails.Outcome;
import dev.outbox.operations.fixture.Operator;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Handlers that take some of the events of their types; instances that disagree about which. */
class SelectionTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    @RegisterExtension
    private final TestOutbox old = TestOutbox.create();

    private final TestOutbox recent = old.another();
    private final Recorded byOld = Recorded.all();
    private final Recorded byRecent = Recorded.all();

    @BeforeEach
    void poll() {
        for (TestOutbox outbox : List.of(old, recent)) {
            outbox.poller(Duration.ofMillis(50), 10, LONG).stream(
                    "bulk", new PollerSettings(Duration.ofMillis(50), 10, LONG, LONG));
        }
    }

    @Test
    void handlerGetsWhatItSelectsOnly() {
        Recorded orders = Recorded.all();
        Recorded bulk = Recorded.all();
        Recorded own = Recorded.all();
        Recorded received = Recorded.all();
        old.handler(all("orders", orders).ofAggregateTypes("order"))
                .handler(all("bulk", bulk).inStreams("bulk"))
                .handler(all("own", own).received(Source.OWN))
                .handler(all("received", received).received(Source.RECEIVED))
                .start();
        EventEnvelope order = old.publish(event("order", "1"));
        EventEnvelope invoice = old.publish(event("invoice", "1").inStream("bulk"));
        EventEnvelope foreign =
                old.publish(event("foreign", "1").withOrigin("/shop").withSequence(1));

        old.awaitPublished(3);
        assertThat(ids(orders.handled())).containsExactly(order.id());
        assertThat(ids(bulk.handled())).containsExactly(invoice.id());
        assertThat(ids(own.handled())).containsExactlyInAnyOrder(order.id(), invoice.id());
        assertThat(ids(received.handled())).containsExactly(foreign.id());
        assertThat(Operator.of(old)
                        .inspector()
                        .findEvent(invoice.eventId())
                        .orElseThrow()
                        .handlers())
                .allMatch((handler) -> handler.outcome() == Outcome.DONE)
                .extracting((handler) -> handler.handlerId())
                .containsExactlyInAnyOrder("bulk", "own");
    }

    @Test
    void oldInstanceDelegatesWhatOnlyTheWidenedHandlerTakes() {
        recent.handler(all("route", byRecent)).start();
        recent.runtime().close();
        old.handler(all("route", byOld).ofAggregateTypes("order").received(Source.OWN))
                .start();
        EventEnvelope order = old.publish(event("order", "1"));
        EventEnvelope invoice = old.publish(event("invoice", "1"));
        EventEnvelope foreign =
                old.publish(event("foreign", "1").withOrigin("/shop").withSequence(1));

        assertThat(old.event(order)).becomesPublished();
        assertThat(old.event(invoice)).becomesRetrying();
        assertThat(old.event(foreign)).becomesRetrying();
        recent.start();
        assertThat(old.event(invoice)).becomesPublished();
        assertThat(old.event(foreign)).becomesPublished();
        assertThat(ids(byOld.handled())).containsExactly(order.id());
        assertThat(ids(byRecent.handled())).containsExactlyInAnyOrder(invoice.id(), foreign.id());
    }

    @Test
    void retryStaysQueuedForTheVersionThatTakesTheEvent() {
        AtomicBoolean down = new AtomicBoolean(true);
        Recorded wide = Recorded.failing((attempt) -> down.get() ? new IllegalStateException("down") : null);
        recent.handler(all("route", wide)).start();
        EventEnvelope invoice = recent.publish(event("invoice", "1"));
        assertThat(recent.event(invoice)).becomesRetrying();
        recent.runtime().close();
        new Lanes(old).due();
        old.handler(all("route", byOld).ofAggregateTypes("order")).start();
        EventEnvelope order = old.publish(event("order", "1"));
        assertThat(old.event(order)).becomesPublished();
        assertThat(old.event(invoice)).becomesRetrying();

        down.set(false);
        recent.start();
        assertThat(old.event(invoice)).becomesPublished();
        assertThat(ids(byOld.handled())).containsExactly(order.id());
        assertThat(ids(wide.handled())).containsExactly(invoice.id());
    }

    /** Each version takes its own events from the lane. */
    @Test
    void laneOfANewNameKeepsTheOrderOfBothVersions() {
        recent.handler(HandlerDefinition.of("renamed", Set.of("OrderPaid"), byRecent::handle)
                        .aliases("route"))
                .start();
        recent.runtime().close();
        old.handler("route", "OrderPlaced", byOld).start();
        EventEnvelope paid = old.publish(event("order", "1").withEventType("OrderPaid"));
        assertThat(old.event(paid)).becomesRetrying();
        EventEnvelope placed = old.publish(event("order", "1"));

        assertThat(old.event(placed)).becomesRetrying();
        recent.start();
        assertThat(old.event(paid)).becomesPublished();
        assertThat(old.event(placed)).becomesPublished();
        assertThat(ids(byRecent.handled())).containsExactly(paid.id());
        assertThat(ids(byOld.handled())).containsExactly(placed.id());
    }

    @Test
    void deliveryThatNoHandlerSelectsAnyMoreBecomesADeadLetter() {
        recent.handler(all("route", byRecent)).start();
        recent.runtime().close();
        old.handler(all("route", byOld).ofAggregateTypes("order")).start();
        EventEnvelope invoice = old.publish(event("invoice", "1"));
        assertThat(old.event(invoice)).becomesRetrying();
        assertThat(byOld.handled()).isEmpty();

        old.sql()
                .sql(
                        "UPDATE events.outbox_subscription SET last_seen_at = now() - interval '8 days' WHERE aggregate_type = '*'")
                .update();
        TestOutbox restarted = old.another();
        try (restarted) {
            restarted
                    .handler(all("route", byOld).ofAggregateTypes("order"))
                    .poller(Duration.ofMillis(50), 10, LONG)
                    .start();
            assertThat(old.event(invoice)).becomesDead();
            assertThat(old.laneCodes()).containsExactly("1 DEAD NOT_SELECTED");
        }
    }

    @Test
    void anyTypeOfOneAggregateTypeRoutesNoOther() {
        AtomicInteger unrouted = new AtomicInteger();
        old.listener(new OutboxListener() {
                    @Override
                    public void unrouted(String stream) {
                        unrouted.incrementAndGet();
                    }
                })
                .handler(all("route", byOld).ofAggregateTypes("order"))
                .start();
        EventEnvelope invoice = old.publish(event("invoice", "1"));

        assertThat(old.event(invoice)).becomesPublished();
        await().until(() -> unrouted.get() == 1);
        recent.publisher(new PublisherSettings(1000, PublisherSettings.Unrouted.FAIL))
                .handler(all("other", byRecent).inStreams("bulk"))
                .start();
        recent.publish(event("order", "1"));
        recent.publish(event("invoice", "2").inStream("bulk"));
        assertThatThrownBy(() -> recent.publish(event("invoice", "2")))
                .isInstanceOf(InvalidEventException.class)
                .hasMessageContaining("no handler is registered");
    }

    private static HandlerDefinition all(String id, Recorded handler) {
        return HandlerDefinition.of(id, Set.of("*"), handler::handle);
    }

    private static OutboxEvent event(String aggregateType, String aggregateId) {
        return OutboxEvent.of(aggregateType, aggregateId, new OrderPlaced(1));
    }

    private static List<Long> ids(List<EventEnvelope> events) {
        return events.stream().map(EventEnvelope::id).toList();
    }
}
