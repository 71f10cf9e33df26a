package dev.outbox.internal.runtime;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.DeadLetter;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.fixture.UnreadablePayloads;
import dev.outbox.fixture.WorkerProcess;
import dev.outbox.internal.dispatch.RetryPolicy;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import dev.outbox.internal.lane.SingleEventStore;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.fixture.Operator;
import dev.outbox.testing.Guarantee;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/** An event whose row no claim can read: it is damaged, or its payload does not fit into the heap. */
class UnreadableEventTest {

    private static final int LARGE = (int) SingleEventStore.SMALL + 1;

    @RegisterExtension
    private final TestOutbox publishing = TestOutbox.create();

    private final TestOutbox outbox = publishing.another();
    private final Recorded mail = Recorded.all();
    private UnreadablePayloads payloads;

    enum Cause {
        DAMAGED(() -> new SQLException("missing chunk number 0 for toast value", "XX001")),
        TOO_LARGE(() -> new OutOfMemoryError("Java heap space")),
        TOO_LARGE_FOR_DRIVER(() -> new SQLException("Ran out of memory retrieving query results.", "53200"));

        private final Supplier<Throwable> failure;

        Cause(Supplier<Throwable> failure) {
            this.failure = failure;
        }
    }

    /** Within seconds, at default settings: no lease has to expire. */
    @ParameterizedTest
    @EnumSource
    @Guarantee(value = "G8", sentence = "An event that cannot be read is a dead letter, and stops no other.")
    void eventIsDeadForEachHandlerWhileOthersAreHandled(Cause cause) {
        EventEnvelope first = publish("1", 10);
        EventEnvelope unreadable = publish("2", LARGE);
        EventEnvelope behind = publish("2", 10);
        EventEnvelope other = publish("3", 10);
        outbox.through((source) -> payloads = new UnreadablePayloads(source, cause.failure))
                .handler("mail", "*", mail)
                .handler("audit", "*", Recorded.all())
                .start();

        assertThat(publishing.event(unreadable)).becomesDead();
        for (EventEnvelope event : List.of(first, behind, other)) {
            assertThat(publishing.event(event)).becomesPublished();
        }
        assertThat(Operator.of(outbox).operations().find(DeliverySelection.all().ofEvent(unreadable.eventId()), 10))
                .hasSize(2);
        assertThat(publishing.errors())
                .hasSize(2)
                .allMatch((error) -> error.matches("UNREADABLE its .* retry the delivery.*"));
        assertThat(mail.handled()).doesNotContain(unreadable).hasSize(3);
        assertThat(Operator.of(publishing).inspector().findContent(unreadable.eventId()))
                .hasValueSatisfying((content) -> assertThat(content.payload()).startsWith("\"left out: "));
    }

    @ParameterizedTest
    @EnumSource
    void redeliveryIsDeadWhileOthersAreHandled(Cause cause) {
        Recorded failsOnce = Recorded.failing((attempt) -> attempt.number() == 1 ? new IllegalStateException() : null);
        payloads = new UnreadablePayloads(outbox.dataSource(), cause.failure);
        payloads.repair();
        EventEnvelope first = publish("1", 10);
        EventEnvelope unreadable = publish("2", LARGE);
        EventEnvelope other = publish("3", 10);
        TestOutbox before = publishing.another().handler("mail", "*", failsOnce).retry(later());
        try (before) {
            before.start();
            await().until(() -> publishing.count("events.outbox_delivery WHERE retry_count = 1") == 3);
        }
        publishing.sql().sql("UPDATE events.outbox_lane SET due_at = now()").update();
        publishing
                .sql()
                .sql("UPDATE events.outbox_delivery SET next_retry_at = now()")
                .update();
        outbox.through((source) -> new UnreadablePayloads(source, cause.failure))
                .handler("mail", "*", mail)
                .retry(later())
                .start();
        EventEnvelope fresh = publish("4", 10);

        assertThat(publishing.event(unreadable)).becomesDead();
        for (EventEnvelope event : List.of(first, other, fresh)) {
            assertThat(publishing.event(event)).becomesPublished();
        }
    }

    private static RetryPolicy later() {
        return new RetryPolicy(new Backoff.Delays(List.of(Duration.ofHours(1))), 10);
    }

    @Test
    void operatorRetriesWhatCanBeReadAgain() {
        EventEnvelope unreadable = publish("2", LARGE);
        outbox.through((source) -> payloads = new UnreadablePayloads(source, Cause.TOO_LARGE.failure))
                .handler("mail", "*", mail)
                .start();
        assertThat(publishing.event(unreadable)).becomesDead();

        Operator.of(outbox)
                .operations()
                .retry(DeliverySelection.all().ofEvent(unreadable.eventId()), "ann", "more heap");
        await().until(() -> payloads.reads() >= 6);
        assertThat(publishing.event(unreadable)).becomesDead();
        payloads.repair();
        Operator.of(outbox)
                .operations()
                .retry(DeliverySelection.all().ofEvent(unreadable.eventId()), "ann", "even more");

        assertThat(publishing.event(unreadable)).becomesPublished();
    }

    @Test
    void fullHeapIsNoFaultOfASmallEvent() {
        EventEnvelope small = publish("1", 10);
        change(small, "jsonb_build_object('number', 1, 'text', '" + UnreadablePayloads.MARK + "')");
        outbox.through((source) -> payloads = new UnreadablePayloads(source, Cause.TOO_LARGE.failure))
                .handler("mail", "*", mail)
                .start();
        await().until(() -> payloads.reads() > 6);
        // Between two claims.
        await().untilAsserted(() -> assertThat(publishing.event(small)).isPending());

        payloads.repair();
        assertThat(publishing.event(small)).becomesPublished();
    }

    /** As with a process that dies of the payload: its claims and its lane expired too often. */
    @Test
    void payloadOfACrashLoopIsNotRead() {
        EventEnvelope unreadable = publish("2", LARGE);
        publishing
                .sql()
                .sql("UPDATE events.outbox_unpublished SET attempt_count = 2")
                .update();
        publishing.sql().sql("""
                        INSERT INTO events.outbox_lane (aggregate_type, aggregate_id, handler_id, stream, first_seq, due_at, crash_count)
                        VALUES ('order', '2', 'mail', 'default', 1, now(), 4)
                        """).update();
        outbox.through((source) -> payloads = new UnreadablePayloads(source, Cause.TOO_LARGE.failure))
                .handler("mail", "*", mail)
                .start();

        assertThat(publishing.event(unreadable)).becomesDead();
        assertThat(publishing.errors()).singleElement().asString().startsWith("CRASH_LOOP");
        assertThat(payloads.reads()).isZero();
    }

    @Test
    void deadLetterMethodGetsItWithoutItsPayload() {
        EventEnvelope unreadable = publish("2", LARGE);
        List<DeadLetter> letters = new CopyOnWriteArrayList<>();
        payloads = new UnreadablePayloads(outbox.dataSource(), Cause.DAMAGED.failure);
        outbox.through((source) -> payloads)
                .transactionManager(new DataSourceTransactionManager(payloads))
                .handler(HandlerDefinition.of("mail", Set.of("*"), mail).onDeadLetter(letters::add))
                .start();
        await().untilAsserted(() -> assertThat(letters).hasSize(1));

        assertThat(letters.get(0).event().eventId()).isEqualTo(unreadable.eventId());
        assertThat(letters.get(0).event().payload()).isEqualTo("{}");
        assertThat(letters.get(0).errorCode()).isEqualTo("UNREADABLE");
    }

    /** 140,000 numbers that jsonb stores in 38 kB and writes out in 140 MB. Another program may store them. */
    @Test
    @Tag("full")
    void numbersThatFillTheHeapAreDeadWhileOthersAreHandled() throws Exception {
        EventEnvelope bomb = bomb();
        EventEnvelope other = publish("3", 10);
        try (WorkerProcess worker = WorkerProcess.startSurviving("256m", publishing, Worker.class)) {
            assertThat(worker.hear()).isEqualTo("started");
            await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> {
                assertThat(publishing.event(bomb)).isDead();
                assertThat(publishing.event(other)).isPublished();
            });
        }
        assertThat(publishing.errors()).singleElement().asString().startsWith("UNREADABLE its payload of 140");
    }

    private EventEnvelope bomb() {
        EventEnvelope bomb = publishing.publish("2", new OrderPlaced(1));
        change(
                bomb,
                "jsonb_build_object('number', 1, 'bomb', (SELECT jsonb_agg(1E+999) FROM generate_series(1, 140000)))");
        return bomb;
    }

    private EventEnvelope publish(String aggregateId, int size) {
        EventEnvelope event = publishing.publish(aggregateId, new OrderPlaced(size));
        if (size == LARGE) {
            change(
                    event,
                    "jsonb_build_object('number', 1, 'text', '" + UnreadablePayloads.MARK + "' || repeat('x', " + size
                            + "))");
        }
        return event;
    }

    /** As another program may store it. */
    private void change(EventEnvelope event, String payload) {
        publishing
                .sql()
                .sql("ALTER TABLE events.outbox DISABLE TRIGGER outbox_immutable")
                .update();
        publishing
                .sql()
                .sql("UPDATE events.outbox SET payload = " + payload + " WHERE id = :id")
                .param("id", event.id())
                .update();
    }

    /** Handles every event. */
    static final class Worker {

        private Worker() {}

        public static void main(String[] arguments) throws InterruptedException {
            WorkerProcess.work(
                    WorkerProcess.database(arguments),
                    HandlerDefinition.of("any", Set.of("*"), (envelope) -> {}),
                    PollerSettings.defaults());
            WorkerProcess.say("started");
            new CountDownLatch(1).await();
        }
    }
}
