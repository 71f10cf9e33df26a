package dev.outbox.internal.publish;

import static dev.outbox.fixture.InBackground.result;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import dev.outbox.StaleSequenceException;
import dev.outbox.fixture.HeldTransaction;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.testing.OpenTransaction;
import java.sql.SQLException;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.dao.OptimisticLockingFailureException;

/** Sequences that are the version of the entity: what orders commits, and what is refused. */
class CallersSequenceTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void sequenceIsKeptAndMayLeaveGaps() {
        assertThat(LongStream.of(0, 1, 7, 1L << 62).map(this::publish).boxed()).containsExactly(0L, 1L, 7L, 1L << 62);
        assertThat(outbox.count("events.outbox_aggregate")).isZero();
    }

    @Test
    void eventsOfAnEntityAreHandledInTheOrderOfItsVersions() {
        Queue<Long> handled = new ConcurrentLinkedQueue<>();
        outbox.update("CREATE TABLE account (version bigint NOT NULL)");
        outbox.update("INSERT INTO account VALUES (0)");
        outbox.handler("ledger", "OrderPlaced", (event) -> handled.add(event.sequence()))
                .start();

        List<CompletableFuture<Integer>> writers = IntStream.range(0, 4)
                .mapToObj((writer) -> InBackground.run(() -> {
                    for (int i = 0; i < 50; i++) {
                        outbox.inTransaction(() -> publish(outbox.value(
                                Long.class, "UPDATE account SET version = version + 1 RETURNING version")));
                    }
                    return 50;
                }))
                .toList();
        writers.forEach(InBackground::result);

        await().until(() -> handled.size() == 200);
        assertThat(handled)
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, 200).boxed().toList());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void secondTransactionWithTheSameVersionIsStaleUnlessTheFirstRollsBack(boolean firstCommits) {
        publish(1);
        HeldTransaction<Long> first = outbox.hold(() -> publish(2));
        CompletableFuture<Long> second = InBackground.run(() -> publish(2));
        outbox.awaitWaiting(1);

        if (firstCommits) {
            assertThat(first.commit()).isEqualTo(2);
            assertThatThrownBy(() -> result(second))
                    .hasStackTraceContaining(StaleSequenceException.class.getName())
                    .hasStackTraceContaining("sequence 2 of OrderPlaced of order/1");
        } else {
            first.rollBack();
            assertThat(result(second)).isEqualTo(2);
        }
        assertThat(sequences()).containsExactly(1L, 2L);
    }

    @Test
    void whatRetriesOptimisticLockingFailuresRetriesStaleVersions() {
        publish(3);
        assertThatThrownBy(() -> publish(3))
                .isInstanceOf(StaleSequenceException.class)
                .isInstanceOf(OptimisticLockingFailureException.class)
                .hasMessageContaining("read the entity again");
        assertThat(publish(4)).isEqualTo(4);
    }

    @Test
    void batchKeepsItsSequencesAndTheyGrow() {
        List<EventEnvelope> stored = outbox.inTransaction(() -> outbox.publisher()
                .publishAll(List.of(
                        event("1").withSequence(4),
                        event("2").withSequence(1),
                        event("1").withSequence(9))));

        assertThat(stored).extracting(EventEnvelope::sequence).containsExactly(4L, 1L, 9L);
        assertThatThrownBy(() -> outbox.inTransaction(() -> outbox.publisher()
                        .publishAll(
                                List.of(event("3").withSequence(2), event("3").withSequence(1)))))
                .isInstanceOf(InvalidEventException.class)
                .hasMessageContaining("sequence 1 of OrderPlaced of order/3 does not exceed 2");
        assertThatThrownBy(() -> outbox.inTransaction(() -> outbox.publisher()
                        .publishAll(
                                List.of(event("3").withSequence(1), event("1").withSequence(9)))))
                .isInstanceOf(StaleSequenceException.class)
                .hasMessageContaining("a sequence of this batch, such as 1 of OrderPlaced of order/3");
        assertThat(outbox.events()).isEqualTo(3);
    }

    @Test
    void repeatedEventIdStoresNothing() {
        OutboxEvent event = event("1").withSequence(2).withEventId(UUID.randomUUID());
        EventEnvelope first = outbox.publish(event);

        EventEnvelope second = outbox.publish(event);

        assertThat(second.id()).isEqualTo(first.id());
        assertThat(sequences()).containsExactly(2L);
    }

    /** A transaction that drew an event id before its own id could add an event below the claim window. */
    @Test
    void transactionHasItsIdBeforeItDrawsAnEventId() throws SQLException {
        publish(1);
        CompletableFuture<Long> publisher;
        try (OpenTransaction owner = OpenTransaction.of(outbox.owner())) {
            owner.run("ALTER SEQUENCE events.outbox_id_seq INCREMENT 1");
            publisher = InBackground.run(() -> publish(2));
            await().until(() -> outbox.count("pg_stat_activity WHERE datname = current_database()"
                            + " AND wait_event_type = 'Lock' AND backend_xid IS NOT NULL")
                    == 1);
            assertThat(publisher).isNotDone();
        }
        assertThat(result(publisher)).isEqualTo(2);
    }

    private long publish(long sequence) {
        return outbox.inTransaction(() ->
                outbox.publisher().publish(event("1").withSequence(sequence)).sequence());
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
