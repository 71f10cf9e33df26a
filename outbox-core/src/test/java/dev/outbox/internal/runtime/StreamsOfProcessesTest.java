package dev.outbox.internal.runtime;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.internal.runtime.RuntimeSettings.Polling;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("full")
class StreamsOfProcessesTest {

    /** Poll interval that no test reaches: a handled event was announced by a notification. */
    private static final PollerSettings WHEN_WOKEN =
            new PollerSettings(Duration.ofHours(1), 50, Duration.ofMinutes(1), Duration.ofSeconds(10));

    private static final int EVENTS = 10;

    /** Less than the time after which an instance looks for what no notification has announced. */
    private static final Duration BEFORE_A_LOOK = Duration.ofSeconds(15);

    @RegisterExtension
    private final TestOutbox orders = TestOutbox.create();

    private final TestOutbox mails = orders.another();

    @Test
    void eachProcessHandlesItsStreamAndIsWokenByTheOther() {
        Recorded ofOrders = Recorded.all();
        Recorded ofMails = Recorded.all();
        orders.stream("default", WHEN_WOKEN).stream("mail", WHEN_WOKEN)
                .polling("default")
                .withNotifications()
                .handler("any", "*", ofOrders)
                .start();
        mails.stream("default", WHEN_WOKEN).stream("mail", WHEN_WOKEN)
                .polling("mail")
                .withNotifications()
                .handler("any", "*", ofMails)
                .start();
        orders.awaitListeners(2);

        for (int i = 1; i <= EVENTS; i++) {
            publish(orders, "mail", i);
            publish(mails, "default", i);
            int handled = i;
            await().atMost(BEFORE_A_LOOK)
                    .until(() -> ofMails.handled().size() == handled
                            && ofOrders.handled().size() == handled);
        }
        for (int i = 1; i <= EVENTS; i++) {
            publish(orders, "default", i);
            publish(mails, "mail", i);
        }

        orders.awaitPublished(4 * EVENTS);
        List<Long> inOrder = LongStream.rangeClosed(1, 2 * EVENTS).boxed().toList();
        assertThat(ofOrders.handled()).allMatch((event) -> event.stream().equals("default"));
        assertThat(ofOrders.sequences()).isEqualTo(Map.of("of default", inOrder));
        assertThat(ofMails.handled()).allMatch((event) -> event.stream().equals("mail"));
        assertThat(ofMails.sequences()).isEqualTo(Map.of("of mail", inOrder));
    }

    @Test
    void processThatPollsNoStreamPublishesAndIsNotCountedOn() {
        Recorded ofWeb = Recorded.all();
        orders.polling().handler("any", "*", ofWeb).handler("web", "*", ofWeb).start();
        EventEnvelope event = orders.publish("1", new OrderPlaced(1));
        assertThat(orders.registeredHandlers()).isZero();
        assertThat(orders.event(event)).isPending();

        Recorded ofWorker = Recorded.all();
        mails.handler("any", "*", ofWorker).start();

        assertThat(orders.event(event)).becomesPublished();
        assertThat(ofWorker.handled()).hasSize(1);
        assertThat(ofWeb.handled()).isEmpty();
    }

    /** The commit itself does not: the publishing process claims the event. */
    @Test
    void delegationWakesTheOtherProcess() {
        Recorded there = Recorded.all();
        mails.stream("default", WHEN_WOKEN)
                .withNotifications()
                .handler("there", "*", there)
                .start();
        orders.stream("default", WHEN_WOKEN)
                .withNotifications()
                .handler("here", "*", Recorded.all())
                .start();
        orders.awaitListeners(2);

        for (int i = 1; i <= EVENTS; i++) {
            EventEnvelope event = publish(orders, "default", i);
            await().atMost(BEFORE_A_LOOK)
                    .untilAsserted(() -> assertThat(orders.event(event)).isPublished());
        }
        assertThat(there.handled()).hasSize(EVENTS);
    }

    @Test
    void delegatedDeliveryStaysInItsStream() {
        Recorded here = Recorded.all();
        Recorded there = Recorded.all();
        mails.stream("mail", PollerSettings.defaults())
                .polling("mail")
                .handler("there", "*", there)
                .start();
        orders.stream("mail", PollerSettings.defaults())
                .polling("default")
                .handler("here", "*", here)
                .start();
        EventEnvelope order = publish(orders, "default", 1);
        EventEnvelope mail = publish(orders, "mail", 1);

        assertThat(orders.event(order)).becomesRetrying();
        assertThat(orders.event(mail)).becomesRetrying();
        assertThat(ids(here)).containsExactly(order.eventId());
        assertThat(ids(there)).containsExactly(mail.eventId());

        try (TestOutbox both = orders.another()) {
            both.stream("mail", PollerSettings.defaults())
                    .handler("here", "*", here)
                    .handler("there", "*", there)
                    .start();
            assertThat(orders.event(order)).becomesPublished();
            assertThat(orders.event(mail)).becomesPublished();
        }
        assertThat(ids(here)).containsExactlyInAnyOrder(order.eventId(), mail.eventId());
        assertThat(ids(there)).containsExactlyInAnyOrder(order.eventId(), mail.eventId());
    }

    @Test
    void streamThatIsNotPolledTakesNoShareOfTheConnections() {
        Map<String, PollerSettings> streams = Map.of("default", WHEN_WOKEN, "mail", WHEN_WOKEN);

        assertThat(new Polling(Set.of("mail"), true, streams).polledStreams()).isEqualTo(Map.of("mail", WHEN_WOKEN));
    }

    @Test
    void streamThatIsNotConfiguredCannotBePolled() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> orders.polling("default", "mial").runtime())
                .withMessageContaining("polled must only hold [default]")
                .withMessageContaining("mial");
    }

    private static List<UUID> ids(Recorded handler) {
        return handler.handled().stream().map(EventEnvelope::eventId).toList();
    }

    private static EventEnvelope publish(TestOutbox process, String stream, int number) {
        return process.publish(
                OutboxEvent.of("order", "of " + stream, new OrderPlaced(number)).inStream(stream));
    }
}
