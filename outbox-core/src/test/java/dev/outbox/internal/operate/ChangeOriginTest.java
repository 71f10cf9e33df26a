package dev.outbox.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.EventEnvelope;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.StatementCounter;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.OutboxOperations;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An operator changes the service that owns an aggregate type of received events. */
class ChangeOriginTest {

    private final TestOutbox outbox = TestOutbox.create();
    private final TestOutbox other = outbox.another();

    @AfterEach
    void close() {
        other.close();
        outbox.close();
    }

    @Test
    void newOriginContinuesTheAggregateInEveryInstance() {
        receive(outbox, "/shop", 1);
        receive(other, "/shop", 2);
        assertThatThrownBy(() -> receive(outbox, "/store", 3))
                .isInstanceOf(InvalidEventException.class)
                .hasMessageContaining("changeOrigin");

        assertThat(change("/shop", "/store")).isTrue();

        assertThat(receive(outbox, "/store", 3).aggregateSeq()).isEqualTo(3);
        assertThat(receive(other, "/store", 4).aggregateSeq()).isEqualTo(4);
        assertThatThrownBy(() -> receive(outbox, "/shop", 5)).isInstanceOf(InvalidEventException.class);
    }

    @Test
    void changeIsRecordedOnce() {
        receive(outbox, "/shop", 1);

        assertThat(change("/shop", "/store")).isTrue();
        assertThat(change("/shop", "/store")).isFalse();

        List<Operation> operations = outbox.runtime().operations().operations(OperationSelection.all(), 10);
        assertThat(operations).singleElement().satisfies((operation) -> {
            assertThat(operation.action()).isEqualTo("CHANGE_ORIGIN");
            assertThat(operation.performedBy()).isEqualTo("ann");
            assertThat(operation.reason()).isEqualTo("aggregate type 'order' from /shop to /store: renamed");
        });
    }

    @Test
    void refusesWhatTheOriginDoesNotOwn() {
        assertRefused("/shop", "there are no events of the aggregate type 'order'");
        receive(outbox, "/shop", 1);
        assertRefused("/depot", "the events of the aggregate type 'order' come from /shop, not from /depot");
        outbox.inTransaction(() -> outbox.publisher().publish("invoice", "1", new OrderPlaced(1)));
        assertThatThrownBy(() ->
                        outbox.runtime().operations().changeOrigin("invoice", "/shop", "/store", "ann", "renamed"))
                .isInstanceOf(InvalidOperationException.class)
                .hasMessageContaining("come from this service");
        assertThat(outbox.count("events.outbox_operation")).isZero();
    }

    @Test
    void refusesMissingArgumentsBeforeAnySql() {
        StatementCounter statements = new StatementCounter(outbox.dataSource());
        OutboxOperations counted = new JdbcOperations(statements, OutboxSchema.DEFAULT, (stream) -> {});

        assertMissing(() -> counted.changeOrigin(" ", "/shop", "/store", "ann", "renamed"), "aggregate type");
        assertMissing(() -> counted.changeOrigin("order", "", "/store", "ann", "renamed"), "present origin");
        assertMissing(() -> counted.changeOrigin("order", "/shop", "", "ann", "renamed"), "new origin");
        assertMissing(() -> counted.changeOrigin("order", "/shop", "/store", "", "renamed"), "operator");
        assertMissing(() -> counted.changeOrigin("order", "/shop", "/store", "ann", ""), "reason");
        assertThat(statements.count()).isZero();
    }

    private static void assertMissing(Runnable operation, String named) {
        assertThatThrownBy(operation::run)
                .isInstanceOf(InvalidOperationException.class)
                .hasMessageContaining(named);
    }

    private void assertRefused(String from, String message) {
        assertThatThrownBy(() -> change(from, "/store"))
                .isInstanceOf(InvalidOperationException.class)
                .hasMessage(message);
    }

    private boolean change(String from, String to) {
        return outbox.runtime().operations().changeOrigin("order", from, to, "ann", "renamed");
    }

    private static EventEnvelope receive(TestOutbox instance, String origin, long sequence) {
        return instance.inTransaction(() -> instance.publisher()
                .publish(OutboxEvent.of("order", "1", new OrderPlaced(1))
                        .withOrigin(origin)
                        .withSequence(sequence)));
    }
}
