package dev.outbox.internal.runtime;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.DeadLetter;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An instance that claims nothing more, because its streams are empty and wake-ups arrive. */
@Tag("full")
class RestingInstanceTest {

    private static final Duration INTERVAL = Duration.ofMillis(100);
    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final Duration SHORT_LEASE = Duration.ofSeconds(3);

    private final Recorded handler = Recorded.all();
    private final AtomicLong claimedAt = new AtomicLong(System.nanoTime());

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create()
            .withNotifications()
            .onClaim((events) -> claimedAt.set(System.nanoTime()))
            .handler("any", "*", handler);

    private final TestOutbox other = outbox.another();

    @Test
    void isWokenByANotification() {
        rest(LEASE);
        other.withNotifications().withoutPolling().start();

        for (int i = 1; i <= 3; i++) {
            other.publish("1", new OrderPlaced(i));
            int handled = i;
            soon().until(() -> handler.handled().size() == handled);
        }
    }

    @Test
    void findsAnEventWhoseNotificationWasLost() {
        rest(SHORT_LEASE);

        EventEnvelope event = other.withoutPolling().publish("1", new OrderPlaced(1));

        soon().until(() -> handler.handled().size() == 1);
        assertThat(outbox.event(event)).becomesPublished();
    }

    @Test
    void takesOverWhenTheLeaseOfADeadWorkerEnds() {
        rest(SHORT_LEASE);
        other.withoutPolling();
        long begun = System.nanoTime();

        other.inTransaction(() -> {
            EventEnvelope event = other.publish("1", new OrderPlaced(1));
            new Lanes(other).claimed(event, SHORT_LEASE.toSeconds() + " seconds");
            return event;
        });

        soon().until(() -> handler.handled().size() == 1);
        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .isBetween(SHORT_LEASE.minusMillis(500), SHORT_LEASE.plusSeconds(10));
    }

    @Test
    void attemptsALaneWhenItIsDue() {
        EventEnvelope event = other.withoutPolling().publish("1", new OrderPlaced(1));
        new Lanes(other).failed("any", event);
        outbox.update("UPDATE events.outbox_delivery SET next_retry_at = now() + interval '64 s'");
        outbox.update("UPDATE events.outbox_lane SET due_at = now() + interval '64 s'");
        long begun = System.nanoTime();
        rest(SHORT_LEASE);

        await().atMost(Duration.ofSeconds(80)).until(() -> handler.handled().size() == 1);
        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .isBetween(Duration.ofSeconds(63), Duration.ofSeconds(70));
    }

    @Test
    void pollsAtTheIntervalWhenItsConnectionBreaks() {
        rest(LEASE);
        long rested = claimedAt.get();

        outbox.breakListeners();

        soon().until(() -> claimedAt.get() > rested);
    }

    @Test
    void noticesTheRegistrationOfAnotherInstance() {
        rest(LEASE);
        long rested = claimedAt.get();

        other.withNotifications().handler("new", "*", Recorded.all()).start();

        soon().until(() -> claimedAt.get() > rested);
    }

    @Test
    void callsTheDeadLetterMethodAtOnce() {
        List<DeadLetter> letters = new CopyOnWriteArrayList<>();
        outbox.handler(HandlerDefinition.of("mail", OrderPlaced.class, (event, envelope) -> {
                    throw new NonRetryableException("no such customer");
                })
                .onDeadLetter(letters::add));
        rest(LEASE);

        outbox.publish("1", new OrderPlaced(1));

        soon().until(() -> letters.size() == 1);
    }

    @Test
    void hasFewThreads() {
        rest(LEASE);

        await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .filteredOn((name) -> name.startsWith("outbox-"))
                .containsExactlyInAnyOrder(
                        "outbox-feeder",
                        "outbox-housekeeping",
                        "outbox-leases",
                        "outbox-listener",
                        "outbox-notifier",
                        "outbox-poller-default",
                        "outbox-retention",
                        "outbox-watch"));
    }

    /** Starts the instance and returns when it has not claimed for ten intervals. */
    private void rest(Duration lease) {
        outbox.poller(INTERVAL, 50, lease).start();
        await().until(() ->
                System.nanoTime() - claimedAt.get() > INTERVAL.multipliedBy(10).toNanos());
    }

    /** Less than the time after which an instance looks for what no notification has announced. */
    private static ConditionFactory soon() {
        return await().atMost(Duration.ofSeconds(10));
    }
}
