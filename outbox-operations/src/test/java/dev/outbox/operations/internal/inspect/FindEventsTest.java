package dev.outbox.operations.internal.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.throwable;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.operations.Count;
import dev.outbox.operations.EventDetails.Status;
import dev.outbox.operations.EventPage;
import dev.outbox.operations.EventSelection;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.InvalidOperationException.Reason;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.fixture.Operator;
import dev.outbox.testing.OpenTransaction;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Searches for events. */
class FindEventsTest {

    private static final EventSelection ALL = EventSelection.all();

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create().withoutPolling();

    private final Lanes lanes = new Lanes(outbox);
    private OutboxInspector inspector;

    @BeforeEach
    void build() {
        inspector = Operator.of(outbox).inspector();
    }

    @Test
    void everyCriterionNarrowsTheSearch() {
        EventEnvelope placed = outbox.publishOrders("1", 1).get(0);
        EventEnvelope paid =
                outbox.publish(OutboxEvent.of("invoice", "1", new OrderPaid(1)).withHeader("traceId", "t1"));
        EventEnvelope done =
                outbox.publish(OutboxEvent.of("order", "2", new OrderPlaced(1)).withHeader("traceId", "t1"));
        lanes.dead("mail", placed);
        lanes.published(done);

        assertThat(inspector.findEvents(ALL, 10).events())
                .extracting((entry) -> entry.event().id() + " " + entry.status())
                .containsExactly(
                        done.id() + " " + Status.PUBLISHED,
                        paid.id() + " " + Status.PENDING,
                        placed.id() + " " + Status.DEAD);
        assertFound(EventSelection.ofAggregate("order", null), done, placed);
        assertFound(EventSelection.ofAggregate("order", "2"), done);
        assertFound(EventSelection.ofAggregate("order", "1"), placed);
        assertFound(new EventSelection(null, "1", null, null, null, null), paid, placed);
        assertFound(new EventSelection("order", "1", "OrderPaid", null, null, null));
        assertFound(new EventSelection(null, null, "OrderPaid", null, null, null), paid);
        assertFound(new EventSelection(null, null, null, "t1", null, null), done, paid);
        assertFound(new EventSelection("invoice", "1", null, "t1", null, null), paid);
        assertFound(new EventSelection(null, null, null, "t2", null, null));
        assertFound(new EventSelection(null, null, null, null, null, paid.id()), placed);
        assertFound(new EventSelection("order", "2", null, null, null, done.id()));
        assertFound(withStatus(Status.PENDING), paid);
        assertFound(withStatus(Status.DEAD), placed);
        assertFound(withStatus(Status.RETRYING));
        assertFound(withStatus(Status.PUBLISHED), done);
        assertFound(new EventSelection("order", "1", null, null, Status.DEAD, null), placed);
        assertFound(new EventSelection("order", "1", null, null, Status.PUBLISHED, null));
        assertFound(new EventSelection(null, null, null, "t1", Status.PENDING, null), paid);
    }

    @Test
    void findsTheTypesOfAnId() {
        lanes.published(outbox.publishOrders("1", 1).get(0));
        outbox.publish(OutboxEvent.of("invoice", "1", new OrderPaid(1)));

        assertThat(inspector.aggregateTypes("1")).containsExactly("invoice", "order");
        assertThat(inspector.aggregateTypes("2")).isEmpty();
    }

    private static EventSelection withStatus(Status status) {
        return new EventSelection(null, null, null, null, status, null);
    }

    private void assertFound(EventSelection selection, EventEnvelope... expected) {
        EventPage page = inspector.findEvents(selection, 10);
        assertThat(page.events())
                .extracting((entry) -> entry.event().id())
                .containsExactly(
                        List.of(expected).stream().map(EventEnvelope::id).toArray(Long[]::new));
        assertThat(page.next()).isNull();
    }

    @Test
    void pagesShowEverythingOnceAndInOrder() {
        List<EventEnvelope> events = outbox.publishOrders("1", 7);
        outbox.publishOrders("2", 3);
        lanes.published(events.get(1));
        lanes.published(events.get(4));

        for (EventSelection selection :
                List.of(EventSelection.ofAggregate("order", null), EventSelection.ofAggregate("order", "1"))) {
            List<Long> seen = pages(selection, 2);
            assertThat(seen).isSortedAccordingTo((one, other) -> Long.compare(other, one));
            assertThat(seen).doesNotHaveDuplicates().hasSize(selection.aggregateId() == null ? 10 : 7);
        }
    }

    private List<Long> pages(EventSelection selection, int limit) {
        List<Long> seen = new ArrayList<>();
        EventSelection rest = selection;
        EventPage page = inspector.findEvents(rest, limit);
        while (page.next() != null) {
            page.events().forEach((entry) -> seen.add(entry.event().id()));
            rest = new EventSelection(rest.aggregateType(), rest.aggregateId(), null, null, null, page.next());
            page = inspector.findEvents(rest, limit);
        }
        page.events().forEach((entry) -> seen.add(entry.event().id()));
        return seen;
    }

    @Test
    void searchOfManyEventsContinuesWhereItEnded() {
        EventEnvelope stuck = outbox.publishOrders("stuck", 1).get(0);
        EventEnvelope oldest = outbox.publishOrders("old", 1).get(0);
        lanes.published(oldest);
        addHistory(Count.MOST + 50);

        EventPage first = inspector.findEvents(EventSelection.ofAggregate("order", "old"), 10);
        assertThat(first.events()).isEmpty();
        assertThat(first.next()).isNotNull();
        EventPage second = inspector.findEvents(new EventSelection("order", "old", null, null, null, first.next()), 10);
        assertThat(second.events()).extracting((entry) -> entry.event().id()).containsExactly(oldest.id());
        assertThat(second.next()).isNull();

        EventPage open = inspector.findEvents(EventSelection.ofAggregate("order", "stuck"), 10);
        assertThat(open.events()).extracting((entry) -> entry.event().id()).containsExactly(stuck.id());
        assertThat(open.next()).isEqualTo(first.next());
        assertThat(inspector
                        .findEvents(EventSelection.ofAggregate("order", null), 10)
                        .events())
                .isEmpty();
        assertThat(pages(EventSelection.ofAggregate("order", null), 10)).containsExactly(oldest.id(), stuck.id());
    }

    @Test
    void openEventsAreFoundBeforeManyPublishedOnes() {
        EventEnvelope stuck = outbox.publishOrders("stuck", 1).get(0);
        addHistory(Count.MOST + 50);

        assertFound(withStatus(Status.PENDING), stuck);
        assertFound(withStatus(Status.DEAD));
    }

    private void addHistory(int events) {
        outbox.sql().sql("""
                        INSERT INTO events.outbox_published
                               (id, aggregate_type, aggregate_id, aggregate_seq, event_type, payload, status, dispatched_at,
                                published_at)
                        SELECT nextval('events.outbox_id_seq'), 'account', n::text, 1, 'Opened', '{}', 'PUBLISHED', now(), now()
                          FROM generate_series(1, ?) n
                        """).param(events).update();
    }

    @Test
    @Tag("full")
    void searchThatTakesTooLongIsTooBroad() throws SQLException {
        try (OpenTransaction other = OpenTransaction.of(outbox.owner())) {
            other.run("LOCK TABLE events.outbox_published IN ACCESS EXCLUSIVE MODE");
            assertThatThrownBy(() -> inspector.findEvents(ALL, 10))
                    .asInstanceOf(throwable(InvalidOperationException.class))
                    .returns(Reason.SELECTION_TOO_BROAD, InvalidOperationException::reason)
                    .hasMessageContaining("longer than 5 s");
        }
        assertThat(inspector.findEvents(ALL, 10).events()).isEmpty();
    }
}
