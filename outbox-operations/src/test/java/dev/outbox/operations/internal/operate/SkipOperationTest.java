package dev.outbox.operations.internal.operate;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.OnDead;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.listener.OutboxListener;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.OutboxOperations.Changed;
import dev.outbox.operations.fixture.Operator;
import dev.outbox.testing.Guarantee;
import dev.outbox.testing.OpenTransaction;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SkipOperationTest {

    private static final DeliverySelection MAIL = DeliverySelection.all().ofHandler("mail");

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final Lanes lanes = new Lanes(outbox);

    @Test
    @Guarantee(value = "G8", sentence = "A skipped dead event is done, on record, and releases its lane.")
    void skippedDeadEventReleasesItsLaneInOrder() {
        Recorded ledger = Recorded.failing(
                (attempt) -> attempt.envelope().sequence() == 2 ? new NonRetryableException("never") : null);
        outbox.handler(HandlerDefinition.of("ledger", Set.of("*"), ledger).onDead(OnDead.BLOCK))
                .poller(Duration.ofHours(1), 50, Duration.ofMinutes(1));
        List<EventEnvelope> events = outbox.publishOrders("1", 5);
        outbox.start();
        await().until(() ->
                lanes.of("ledger", "1").equals(List.of("2 BLOCKING 1", "3 OPEN 0", "4 OPEN 0", "5 OPEN 0")));

        assertThat(skip(DeliverySelection.delivery(events.get(1).eventId(), "ledger")))
                .isEqualTo(new Changed(1, 0));

        outbox.awaitPublished(5);
        assertThat(ledger.sequences()).isEqualTo(Map.of("1", List.of(1L, 3L, 4L, 5L)));
        assertThat(outbox.sql()
                        .sql("SELECT last_error FROM events.outbox_published WHERE id = ?")
                        .param(events.get(1).id())
                        .query(String.class)
                        .single())
                .isEqualTo("never");
    }

    @Test
    void listenerHearsOfEachSkipThatIsCommitted() {
        List<String> heard = new ArrayList<>();
        outbox.listener(new OutboxListener() {
            @Override
            public void skipped(String stream, String handlerId, UUID eventId) {
                heard.add(stream + " " + handlerId + " " + eventId);
                throw new IllegalStateException("on purpose");
            }
        });
        List<EventEnvelope> events = outbox.publishOrders("1", 2);
        events.forEach((event) -> lanes.failed("mail", event));
        EventEnvelope busy = outbox.publishOrders("2", 1).get(0);
        lanes.failed("mail", busy);
        lanes.locked("mail", busy, "1 min");

        assertThat(skip(MAIL)).isEqualTo(new Changed(2, 1));
        Operator.of(outbox).operations().retry(MAIL, "ann", "the server is back");

        assertThat(heard)
                .containsExactly(
                        "default mail " + events.get(0).eventId(),
                        "default mail " + events.get(1).eventId());
    }

    @Test
    void skippingTheLastDeliveryPublishesTheEvent() {
        EventEnvelope event = outbox.publishOrders("1", 1).get(0);
        lanes.dead("mail", event);
        lanes.dead("audit", event);

        assertThat(skip(MAIL)).isEqualTo(new Changed(1, 0));
        assertThat(outbox.event(event)).isDead();
        assertThat(skip(DeliverySelection.all().ofHandler("audit"))).isEqualTo(new Changed(1, 0));
        assertThat(outbox.event(event)).isPublished();
        assertThat(outbox.deliveries()).isZero();
    }

    @Test
    void skippedEventStaysOpenForAnotherHandler() {
        EventEnvelope event = outbox.publishOrders("1", 1).get(0);
        lanes.dead("mail", event);
        lanes.failed("audit", event);

        skip(MAIL);
        assertThat(outbox.event(event)).isRetrying();
        assertThat(lanes.of("audit", "1")).containsExactly("1 OPEN 1");
    }

    @Test
    void skippedDeliveryLetsTheNextOneBeFirst() {
        List<EventEnvelope> events = outbox.publishOrders("1", 4);
        lanes.failed("mail", events.get(0));
        lanes.waiting("mail", events.get(1));
        lanes.waiting("mail", events.get(2));
        lanes.waiting("mail", events.get(3));

        assertThat(skip(DeliverySelection.delivery(events.get(1).eventId(), "mail"))
                        .affected())
                .isEqualTo(1);
        assertThat(lanes.of("mail", "1")).containsExactly("1 OPEN 1", "3 OPEN 0", "4 OPEN 0");
        assertThat(skip(DeliverySelection.delivery(events.get(0).eventId(), "mail"))
                        .affected())
                .isEqualTo(1);
        assertThat(lanes.of("mail", "1")).containsExactly("3 OPEN 0", "4 OPEN 0");
        assertThat(skip(DeliverySelection.lane("mail", "order", "1"))).isEqualTo(new Changed(2, 0));
        assertThat(outbox.published()).isEqualTo(4);
    }

    @Test
    void laneBeingAttemptedIsBusy() {
        List<EventEnvelope> events = outbox.publishOrders("1", 3);
        lanes.failed("mail", events.get(0));
        lanes.waiting("mail", events.get(1));
        lanes.dead("mail", events.get(2));
        lanes.locked("mail", events.get(0), "1 minute");

        assertThat(skip(MAIL)).isEqualTo(new Changed(1, 2));
        assertThat(lanes.of("mail", "1")).containsExactly("1 OPEN 1", "2 OPEN 0");
        lanes.expired();
        assertThat(skip(MAIL)).isEqualTo(new Changed(2, 0));
        assertThat(lanes.of("mail", "1")).isEmpty();
    }

    @Test
    void lockedEventDelaysNoOther() throws SQLException {
        List<EventEnvelope> events = outbox.publishOrders("1", 3);
        events.forEach((event) -> lanes.dead("mail", event));
        try (OpenTransaction other = OpenTransaction.of(outbox.owner())) {
            other.run("SELECT FROM events.outbox WHERE id = " + events.get(1).id() + " FOR UPDATE");
            assertThat(skip(MAIL)).isEqualTo(new Changed(2, 1));
        }
        assertThat(lanes.of("mail", "1")).containsExactly("2 DEAD 3");
    }

    private Changed skip(DeliverySelection selection) {
        return Operator.of(outbox).operations().skip(selection, "ann", "sent by hand");
    }
}
