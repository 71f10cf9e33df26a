package dev.outbox.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition.EnvelopeHandler;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Several instances, of which a commit wakes those that can help. No poll interval and no look comes in time. */
@Tag("full")
class WakeUpsTest {

    private static final Duration NEVER = Duration.ofHours(1);
    private static final Duration LEASE = Duration.ofMinutes(10);
    private static final int EVENTS = 20;

    @RegisterExtension
    private final TestOutbox first = TestOutbox.create();

    private final List<TestOutbox> others = new ArrayList<>();
    private final AtomicInteger claimsOfOthers = new AtomicInteger();
    private final Recorded handler = Recorded.all();

    @AfterEach
    void close() {
        others.forEach(TestOutbox::close);
    }

    @Test
    void idlePollerClaimsItsOwnEventsAlone() {
        start(first, handler);
        startOthers(3, handler);
        int before = claimsOfOthers.get();

        for (int i = 1; i <= EVENTS; i++) {
            publishAndAwait(first, i);
        }

        // A poller that is slow for once announces its event; each of the others claiming each event makes three times
        // as many.
        assertThat(claimsOfOthers.get() - before).isLessThan(EVENTS);
    }

    @Test
    void eventOfABusyPollerIsHandledByAnother() {
        CountDownLatch busy = new CountDownLatch(1);
        start(first, (event) -> busy.await());
        first.publish("long", new OrderPlaced(1));
        await().until(() -> first.runtime().runningHandlers().all().size() == 1);
        startOthers(1, handler);

        for (int i = 1; i <= EVENTS; i++) {
            publishAndAwait(first, i);
        }
        busy.countDown();
    }

    /** The instance that publishes cannot claim the event, and must not keep it to itself. */
    @Test
    void eventOfAnAggregateOfAnotherClaimFollowsAtOnce() {
        CountDownLatch busy = new CountDownLatch(1);
        Recorded there = Recorded.all();
        start(first, (event) -> {
            busy.await();
            there.handle(event);
        });
        first.publish("1", new OrderPlaced(1));
        await().until(() -> first.runtime().runningHandlers().all().size() == 1);
        startOthers(1, handler);
        int before = claimsOfOthers.get();
        others.get(0).publish("1", new OrderPlaced(2));
        await().until(() -> claimsOfOthers.get() > before);

        busy.countDown();

        soon().until(() -> there.handled().size() + handler.handled().size() == 2);
    }

    @Test
    void backlogOfOneInstanceWakesTheOthers() {
        CountDownLatch busy = new CountDownLatch(1);
        first.handler("any", "*", (event) -> busy.await()).poller(NEVER, 2, LEASE);
        first.withNotifications().start();
        startOthers(1, handler);

        first.inTransaction(() -> {
            for (int i = 1; i <= EVENTS; i++) {
                first.publisher().publish("order", "a" + i, new OrderPlaced(i));
            }
            return EVENTS;
        });

        soon().until(() -> handler.handled().size() == EVENTS - 2);
        busy.countDown();
    }

    @Test
    void processThatPollsNothingWakesOneInstanceForEachEvent() {
        startOthers(4, handler);
        first.withNotifications().withoutPolling().start();

        // At first, the instances do not know each other.
        await().until(() -> {
            int before = claimsOfOthers.get();
            for (int i = 1; i <= EVENTS; i++) {
                publishAndAwait(first, i);
            }
            return claimsOfOthers.get() - before <= 2 * EVENTS;
        });
    }

    @Test
    void eventForAnInstanceThatDoesNotRespondIsHandledAMomentLater() {
        first.update("INSERT INTO events.outbox_instance (name, streams, handlers, open_circuits, stopped)"
                + " VALUES ('hung', '{default}', '{}', '{}', '{}')");
        startOthers(1, handler);
        first.withNotifications().withoutPolling().start();

        for (int i = 1; i <= 8; i++) {
            publishAndAwait(first, i);
        }
    }

    @Test
    void scheduledEventsAreMovedWithoutDelayByOneOfSeveral() {
        start(first, handler);
        startOthers(2, handler);

        List<TestOutbox> publishers = List.of(first, others.get(0), others.get(1));
        publishers.forEach((publisher) -> publisher.publish(
                OutboxEvent.of("order", "1", new OrderPlaced(1)).deliverAfter(Duration.ofSeconds(1))));

        soon().until(() -> handler.handled().size() == publishers.size());
    }

    private void startOthers(int instances, EnvelopeHandler handling) {
        for (int i = 0; i < instances; i++) {
            TestOutbox other = first.another();
            others.add(other);
            other.onClaim((events) -> claimsOfOthers.incrementAndGet());
            start(other, handling);
        }
        first.awaitListeners(instances);
        await().until(() -> claimsOfOthers.get() >= instances);
    }

    private static void start(TestOutbox instance, EnvelopeHandler handling) {
        instance.handler("any", "*", handling)
                .poller(NEVER, 50, LEASE)
                .withNotifications()
                .start();
    }

    /** Returns when the event is settled, so that each instance can respond to each event. */
    private void publishAndAwait(TestOutbox publisher, int number) {
        int before = handler.handled().size();
        EventEnvelope event = publisher.publish("a" + number, new OrderPlaced(number));
        soon().until(() ->
                handler.handled().size() > before && publisher.statusOf(event).equals("PUBLISHED"));
    }

    /** Less than the time after which an instance looks for what no message has announced. */
    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(5));
    }
}
