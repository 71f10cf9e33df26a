package dev.outbox.operations.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.InstanceOfAssertFactories.throwable;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.operations.Count;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.InvalidOperationException.Reason;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.fixture.Operator;
import dev.outbox.testing.OpenTransaction;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class FindDeliveriesTest {

    private static final DeliverySelection ALL = DeliverySelection.all();

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create().stream("slow", PollerSettings.defaults());

    private final Lanes lanes = new Lanes(outbox);
    private OutboxOperations operations;

    @BeforeEach
    void build() {
        operations = Operator.of(outbox).operations();
    }

    @Test
    @Tag("full")
    void selectionThatTakesTooLongNamesItsFilters() throws SQLException {
        try (OpenTransaction other = OpenTransaction.of(outbox.owner())) {
            other.run("LOCK TABLE events.outbox_delivery IN ACCESS EXCLUSIVE MODE");
            assertThatThrownBy(() -> operations.count(ALL.withErrorCode("IOException")))
                    .asInstanceOf(throwable(InvalidOperationException.class))
                    .returns(Reason.SELECTION_TOO_BROAD, InvalidOperationException::reason)
                    .hasMessageContaining("errorCode=IOException")
                    .hasMessageContaining("add an event id");
        }
        assertThat(operations.count(ALL.withErrorCode("IOException")).value()).isZero();
    }

    @Test
    void countStopsAtItsBound() {
        outbox.sql().sql("""
                        INSERT INTO events.outbox_delivery
                               (outbox_id, handler_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, status)
                        SELECT n, CASE WHEN n < 10000 THEN 'mail' ELSE 'audit' END, 'default', 'order', n, 1, 'OrderPlaced', 'DEAD'
                          FROM generate_series(1, 10001) n
                        """).update();

        assertThat(operations.count(ALL)).isEqualTo(new Count(10_000, false));
        assertThat(operations.count(ALL.ofHandler("mail"))).isEqualTo(new Count(9_999, true));
        assertThat(operations.count(ALL.ofHandler("audit"))).isEqualTo(new Count(2, true));
    }

    @Test
    void showsEventStateAndFailure() {
        EventEnvelope event = outbox.publishOrders("42", 1).get(0);
        lanes.failed("mail", event);
        lanes.locked("mail", event, "1 minute");
        Instant now = Instant.now();

        Delivery found = operations.find(ALL, 10).get(0);
        assertThat(found.handlerId()).isEqualTo("mail");
        assertThat(found.event())
                .isEqualTo(new Delivery.Event(
                        event.id(), event.eventId(), "default", "OrderPlaced", "order", "42", 1, event.occurredAt()));
        assertThat(found.state().status()).isEqualTo(DeliveryStatus.OPEN);
        assertThat(found.state().blocksLane()).isTrue();
        assertThat(found.state().replayed()).isFalse();
        assertThat(found.state().createdAt()).isCloseTo(now, within(1, ChronoUnit.MINUTES));
        assertThat(found.state().nextRetryAt()).isCloseTo(now.plusSeconds(3600), within(1, ChronoUnit.MINUTES));
        assertThat(found.attempts().ended()).isEqualTo(1);
        assertThat(found.attempts().failed()).isEqualTo(1);
        assertThat(found.attempts().crashed()).isZero();
        assertThat(found.attempts().lastAt()).isCloseTo(now, within(1, ChronoUnit.MINUTES));
        assertThat(found.attempts().lastFailure()).isEqualTo(new Delivery.Failure("IOException", "no route"));
        assertThat(found.lease().worker()).isEqualTo("worker");
        assertThat(found.lease().until()).isCloseTo(now.plusSeconds(60), within(1, ChronoUnit.MINUTES));
    }

    @Test
    void leavesOutUnknownDetails() {
        List<EventEnvelope> events = outbox.publishOrders("1", 2);
        lanes.blocking("mail", events.get(0));
        lanes.waiting("mail", events.get(1));

        List<Delivery> found = operations.find(ALL, 10);
        assertThat(found.get(0).state().status()).isEqualTo(DeliveryStatus.DEAD);
        assertThat(found.get(0).state().blocksLane()).isTrue();
        assertThat(found.get(0).state().nextRetryAt()).isNull();
        assertThat(found.get(1).state().status()).isEqualTo(DeliveryStatus.OPEN);
        assertThat(found.get(1).state().blocksLane()).isFalse();
        assertThat(found.get(1).attempts()).isEqualTo(new Delivery.Attempts(0, 0, 0, null, null, List.of()));
        assertThat(found.get(1).lease()).isNull();
    }

    @Test
    void everyCriterionNarrowsTheSelection() {
        EventEnvelope dead = outbox.publish("1", new OrderPlaced(1));
        EventEnvelope failed = outbox.publish("2", new OrderPaid(1));
        EventEnvelope waiting = outbox.publish("2", new OrderPaid(2));
        EventEnvelope old = outbox.publish(
                OutboxEvent.of("invoice", "2", new OrderPlaced(1)).inStream("slow"));
        lanes.dead("mail", dead);
        lanes.failed("mail", failed);
        lanes.waiting("mail", waiting);
        lanes.dead("audit", failed);
        lanes.published(old);
        lanes.blocking("audit", old);
        outbox.sql()
                .sql("UPDATE events.outbox_delivery SET created_at = '2001-01-01Z', last_error_code = 'CRASH_LOOP'"
                        + " WHERE outbox_id = ?")
                .param(old.id())
                .update();
        Instant year2000 = Instant.parse("2000-01-01T00:00:00Z");
        Instant year2001 = Instant.parse("2001-01-01T00:00:00Z");
        Instant year2002 = Instant.parse("2002-01-01T00:00:00Z");

        assertFound(ALL, "1 mail", "2 audit", "2 mail", "3 mail", "4 audit");
        assertFound(ALL.ofHandler("mail"), "1 mail", "2 mail", "3 mail");
        assertFound(ALL.ofEventType("OrderPaid"), "2 audit", "2 mail", "3 mail");
        assertFound(ALL.inStream("slow"), "4 audit");
        assertFound(ALL.ofAggregate("order", null), "1 mail", "2 audit", "2 mail", "3 mail");
        assertFound(ALL.ofAggregate("order", "2"), "2 audit", "2 mail", "3 mail");
        assertFound(ALL.ofEvent(failed.eventId()), "2 audit", "2 mail");
        assertFound(ALL.ofEvent(UUID.randomUUID()));
        assertFound(ALL.ofEvents(List.of(dead.eventId(), old.eventId(), UUID.randomUUID())), "1 mail", "4 audit");
        assertFound(ALL.withErrorCode("CRASH_LOOP"), "4 audit");
        assertFound(ALL.created(year2001, year2002), "4 audit");
        assertFound(ALL.created(null, year2001));
        assertFound(ALL.created(year2000, null), "1 mail", "2 audit", "2 mail", "3 mail", "4 audit");
        assertFound(ALL.withStatus(DeliveryStatus.DEAD), "1 mail", "2 audit", "4 audit");
        assertFound(ALL.withStatus(DeliveryStatus.OPEN), "2 mail", "3 mail");
        assertFound(DeliverySelection.lane("mail", "order", "2"), "2 mail", "3 mail");
        assertFound(DeliverySelection.delivery(failed.eventId(), "audit"), "2 audit");
        assertFound(ALL.ofHandler("mail").ofEventType("OrderPlaced").withStatus(DeliveryStatus.DEAD), "1 mail");
        assertFound(ALL.ofHandler("unknown"));
    }

    private void assertFound(DeliverySelection selection, String... expected) {
        assertThat(operations.find(selection, 100))
                .extracting((found) -> found.event().id() + " " + found.handlerId())
                .containsExactly(expected);
        assertThat(operations.count(selection).value()).isEqualTo(expected.length);
    }

    @Test
    void pagesShowEverythingOnceAndInOrder() {
        List<EventEnvelope> events = outbox.publishOrders("1", 7);
        events.forEach((event) -> lanes.dead("mail", event));
        events.forEach((event) -> lanes.dead("audit", event));
        List<String> seen = new ArrayList<>();
        DeliverySelection rest = ALL.ofAggregate("order", "1");
        List<Delivery> page = operations.find(rest, 3);
        while (!page.isEmpty()) {
            page.forEach((found) -> seen.add(found.event().sequence() + " " + found.handlerId()));
            Delivery last = page.get(page.size() - 1);
            rest = rest.after(last.event().id(), last.handlerId());
            page = operations.find(rest, 3);
        }

        assertThat(seen)
                .containsExactlyElementsOf(events.stream()
                        .map(EventEnvelope::sequence)
                        .flatMap((seq) -> Stream.of(seq + " audit", seq + " mail"))
                        .toList());
    }
}
