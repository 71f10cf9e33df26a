package dev.outbox.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.EventEnvelope;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.StatementCounter;
import dev.outbox.fixture.TestOutbox;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Aggregate types that the outbox or the application numbers: when that is decided and refused. */
class NumberingTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void aggregateTypeIsNumberedByTheOutboxOrByTheApplication() {
        outbox.inTransaction(() -> {
            publish(1);
            assertThatThrownBy(() -> outbox.publisher().publish("order", "2", new OrderPlaced(1)))
                    .isInstanceOf(InvalidEventException.class)
                    .hasMessageContaining("OrderPlaced of order/2 has no sequence")
                    .hasMessageContaining("withSequence for all events");
            return publish(2);
        });
        assertThatThrownBy(() -> outbox.publish("1", new OrderPlaced(1))).isInstanceOf(InvalidEventException.class);

        outbox.inTransaction(() -> outbox.publisher().publish("invoice", "1", new OrderPlaced(1)));
        TestOutbox other = outbox.another();
        assertThatThrownBy(() -> other.inTransaction(() -> other.publisher()
                        .publishAll(List.of(
                                event("1").withSequence(3),
                                OutboxEvent.of("invoice", "1", new OrderPlaced(2))
                                        .withSequence(2)))))
                .isInstanceOf(InvalidEventException.class)
                .hasMessageContaining("OrderPlaced of invoice/1 has a sequence");
        assertThat(sequences()).containsExactly(1L, 2L);
        assertThat(outbox.events()).isEqualTo(3);
    }

    @Test
    void scheduledEventOfANumberedTypeIsSentToATypeOfItsOwn() {
        publish(1);
        assertThatThrownBy(() -> schedule(event("1")))
                .isInstanceOf(InvalidEventException.class)
                .hasMessageContaining("schedule it in an aggregate type of its own, such as order-reminder")
                .hasMessageNotContaining("withSequence");
        assertThatThrownBy(() -> schedule(event("1").withSequence(2)))
                .isInstanceOf(InvalidEventException.class)
                .hasMessageContaining("schedule it in an aggregate type of its own, such as order-reminder");
        assertThatThrownBy(() -> outbox.inTransaction(() -> outbox.publisher()
                        .publishAll(
                                List.of(event("1").withSequence(2), event("1").deliverAfter(Duration.ofDays(1))))))
                .isInstanceOf(InvalidEventException.class)
                .hasMessageContaining("order-reminder");

        OutboxEvent reminder = OutboxEvent.of("order-reminder", "1", new OrderPlaced(1));
        assertThat(schedule(reminder).aggregateType()).isEqualTo("order-reminder");
        assertThat(publish(2)).isEqualTo(2);
    }

    @Test
    void numberedEventOfATypeWithScheduledOnesIsRefusedWithTheWayOut() {
        schedule(event("1"));
        assertThatThrownBy(() -> publish(1))
                .isInstanceOf(InvalidEventException.class)
                .hasMessageContaining("schedule events in an aggregate type of their own, such as order-reminder");
    }

    @Test
    void firstCommittedEventOfATypeDecides() {
        outbox.transactions().executeWithoutResult((status) -> {
            publish(1);
            status.setRollbackOnly();
        });
        assertThat(outbox.publish("1", new OrderPlaced(1)).sequence()).isEqualTo(1);
        assertThatThrownBy(() -> publish(2)).isInstanceOf(InvalidEventException.class);
    }

    @Test
    void openFirstEventOfATypeHoldsUpNoOtherTransaction() {
        TransactionTemplate requiresNew = new TransactionTemplate(
                Objects.requireNonNull(outbox.transactions().getTransactionManager()));
        requiresNew.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        outbox.transactions().executeWithoutResult((status) -> {
            publish(1);
            requiresNew.executeWithoutResult(
                    (inner) -> outbox.publisher().publish(event("2").withSequence(1)));
            assertThat(outbox.events()).isEqualTo(2);
        });
        assertThatThrownBy(() -> outbox.publish("3", new OrderPlaced(1))).isInstanceOf(InvalidEventException.class);
    }

    @Test
    void refusedEventDecidesNothing() {
        outbox.inTransaction(() -> {
            assertThatThrownBy(() ->
                            outbox.publisher().publishAll(List.of(event("1").withSequence(1), event("2"))))
                    .isInstanceOf(InvalidEventException.class)
                    .hasMessageContaining("OrderPlaced of order/2 has no sequence");
            return outbox.publisher().publish("order", "1", new OrderPlaced(1));
        });
        assertThat(outbox.publish("1", new OrderPlaced(2)).sequence()).isEqualTo(2);
    }

    @Test
    void kindThatACrashHasLostIsStoredAgain() {
        publish(1);
        publish(2);
        outbox.update("DELETE FROM events.outbox_aggregate_type");
        publish(3);
        assertThat(outbox.count("events.outbox_aggregate_type")).isEqualTo(1);
    }

    @Test
    void typeOfARolledBackSavepointIsForgotten() {
        outbox.transactions().executeWithoutResult((status) -> {
            Object savepoint = status.createSavepoint();
            publish(1);
            status.rollbackToSavepoint(savepoint);
            assertThat(outbox.publisher()
                            .publish("order", "1", new OrderPlaced(1))
                            .sequence())
                    .isEqualTo(1);
        });
        assertThat(outbox.publish("1", new OrderPlaced(2)).sequence()).isEqualTo(2);
    }

    @Test
    void laterEventsOfATypeTakeOneStatement() {
        StatementCounter statements = new StatementCounter(outbox.dataSource());
        TransactionalOutboxPublisher publisher = statements.publisher(PublisherSettings.defaults());
        statements.inTransaction(() -> publisher.publish(event("1").withSequence(1)));
        assertThat(statements.count()).isGreaterThan(1);
        statements.inTransaction(() -> publisher.publish(event("1").withSequence(2)));
        assertThat(statements.count()).isEqualTo(1);
    }

    private long publish(long sequence) {
        return outbox.inTransaction(() ->
                outbox.publisher().publish(event("1").withSequence(sequence)).sequence());
    }

    private EventEnvelope schedule(OutboxEvent event) {
        return outbox.publish(event.deliverAfter(Duration.ofDays(1)));
    }

    private static OutboxEvent event(String id) {
        return OutboxEvent.of("order", id, new OrderPlaced(1));
    }

    private List<Long> sequences() {
        return outbox.values(
                Long.class,
                "SELECT aggregate_seq FROM events.outbox WHERE aggregate_type = 'order' AND aggregate_id = '1' ORDER BY id");
    }
}
