package dev.outbox.internal.runtime;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.HandlerDefinition.EnvelopeHandler;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.fixture.WorkerProcess;
import dev.outbox.listener.OutboxListener;
import dev.outbox.testing.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

@Tag("full")
class KilledProcessTest {

    private static final Duration LONG_ENOUGH = Duration.ofSeconds(30);

    @Test
    @Guarantee(
            value = "G2",
            sentence = "After a process is killed with SIGKILL, its events are delivered again, in order.")
    void redeliversInOrderAfterSigkill() throws Exception {
        try (TestOutbox outbox = TestOutbox.create();
                TestOutbox restarted = outbox.another()) {
            processIsKilledAtTheThirdOfFiveEvents(outbox, "any");

            Recorded handler = Recorded.all();
            start(restarted.handler("any", "*", handler));
            await().atMost(LONG_ENOUGH).until(() -> outbox.count("events.outbox_published") == 6);
            assertThat(handler.sequences()).containsEntry("1", List.of(1L, 2L, 3L, 4L, 5L));
            // The pass that was cut short.
            assertThat(outbox.sql()
                            .sql("SELECT DISTINCT attempt_count FROM events.outbox WHERE aggregate_id = '1'")
                            .query(Integer.class)
                            .list())
                    .containsExactly(1);
        }
    }

    @Test
    @Guarantee(
            value = "G7",
            sentence = "A process killed between the handler's commit and its outcome does not repeat the effects.")
    void effectsCommittedBeforeSigkillAreNotRepeated() throws Exception {
        try (TestOutbox outbox = TestOutbox.create();
                TestOutbox restarted = outbox.another()) {
            outbox.sql().sql(Doomed.EFFECTS).update();
            processIsKilledAtTheThirdOfFiveEvents(outbox, Doomed.ONCE);
            assertThat(effects(outbox)).containsExactly(1L, 2L);

            Recorded handled = Recorded.all();
            AtomicInteger duplicates = new AtomicInteger();
            start(restarted
                    .handler(Doomed.once(restarted.dataSource(), handled))
                    .listener(new OutboxListener() {
                        @Override
                        public void deduplicated(String stream, String handlerId) {
                            duplicates.incrementAndGet();
                        }
                    }));
            await().atMost(LONG_ENOUGH).until(() -> outbox.count("events.outbox_published") == 6);
            assertThat(effects(outbox)).containsExactly(1L, 2L, 3L, 4L, 5L);
            assertThat(handled.sequences()).containsEntry("1", List.of(3L, 4L, 5L));
            assertThat(duplicates).hasValue(2);
        }
    }

    @Test
    @Guarantee(
            value = "G8",
            sentence = "An event that crashes its process again and again ends dead; the others are handled.")
    void eventThatCrashesItsProcessEndsDeadAlone() throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            List<EventEnvelope> events = IntStream.rangeClosed(1, 5)
                    .mapToObj((number) -> outbox.publish("" + number, new OrderPlaced(number)))
                    .toList();
            EventEnvelope behind = outbox.publish("3", new OrderPlaced(6));
            int crashes = 0;
            Set<String> handled = new TreeSet<>();
            while (!outbox.statusOf(events.get(2)).equals("DEAD")) {
                try (WorkerProcess process = WorkerProcess.start(outbox, Doomed.class, Doomed.POISONED)) {
                    String said = process.hear();
                    while (!said.equals("handling 3#1") && !said.equals("handling 3#2")) {
                        handled.add(said);
                        said = process.hear();
                    }
                    if (said.equals("handling 3#1")) {
                        crashes++;
                        assertThat(process.end()).isEqualTo(Doomed.EXIT);
                    }
                }
                assertThat(crashes).isLessThanOrEqualTo(6);
            }

            assertThat(crashes).isEqualTo(6);
            assertThat(handled).contains("handling 1#1", "handling 2#1", "handling 4#1", "handling 5#1");
            assertThat(outbox.sql()
                            .sql("SELECT outbox_id || ' ' || last_error_code FROM events.outbox_delivery"
                                    + " WHERE status = 'DEAD'")
                            .query(String.class)
                            .list())
                    .containsExactly(events.get(2).id() + " CRASH_LOOP");
            Recorded next = Recorded.all();
            try (TestOutbox restarted = outbox.another()) {
                start(restarted.handler("any", "*", next));
                await().atMost(LONG_ENOUGH).until(() -> outbox.count("events.outbox_published") == 5);
            }
            assertThat(outbox.event(behind)).isPublished();
        }
    }

    private static void start(TestOutbox outbox) {
        outbox.poller(Duration.ofMillis(100), 50, WorkerProcess.LEASE).start();
    }

    private static List<Long> effects(TestOutbox outbox) {
        return outbox.sql()
                .sql("SELECT aggregate_seq FROM effect WHERE aggregate_id = '1' ORDER BY aggregate_seq")
                .query(Long.class)
                .list();
    }

    private static void processIsKilledAtTheThirdOfFiveEvents(TestOutbox outbox, String handler) throws Exception {
        List<String> handled = new ArrayList<>();
        try (WorkerProcess process = WorkerProcess.start(outbox, Doomed.class, handler)) {
            process.giveOneBatchOfFive(outbox);
            while (handled.size() < 3) {
                handled.add(process.hear());
            }
            assertThat(process.kill()).isEqualTo(137);
        }
        assertThat(handled).containsExactly("handling 1#1", "handling 1#2", "handling 1#3");
        assertThat(outbox.sql()
                        .sql("SELECT cardinality(event_ids) FROM events.outbox_claim")
                        .query(Integer.class)
                        .list())
                .as("claimed, and not settled")
                .containsExactly(5);
        assertThat(outbox.count("events.outbox_unpublished")).isEqualTo(5);
    }

    /** A process that claims five events, handles two, and hangs in the third, or takes itself down at aggregate 3. */
    static final class Doomed {

        /** The id of the handler that deduplicates. */
        static final String ONCE = "once";

        /** Asks for a handler that ends its process. */
        static final String POISONED = "poisoned";

        static final int EXIT = 3;

        /** No constraint: the second effect of an event would be seen. */
        static final String EFFECTS = "CREATE TABLE effect (aggregate_id text, aggregate_seq bigint)";

        private Doomed() {}

        public static void main(String[] arguments) throws InterruptedException {
            DataSource dataSource = WorkerProcess.database(arguments);
            WorkerProcess.work(
                    dataSource,
                    switch (arguments[3]) {
                        case ONCE -> once(dataSource, Doomed::handle);
                        case POISONED -> HandlerDefinition.of("any", Set.of("*"), Doomed::handlePoison);
                        default -> HandlerDefinition.of(arguments[3], Set.of("*"), Doomed::handle);
                    });
            new CountDownLatch(1).await();
        }

        static HandlerDefinition once(DataSource dataSource, EnvelopeHandler rest) {
            JdbcClient sql = JdbcClient.create(dataSource);
            return HandlerDefinition.of(ONCE, Set.of("*"), (envelope) -> {
                        sql.sql("INSERT INTO effect VALUES (?, ?)")
                                .params(envelope.aggregateId(), envelope.sequence())
                                .update();
                        rest.handle(envelope);
                    })
                    .deduplicating();
        }

        private static void handle(EventEnvelope envelope) throws InterruptedException {
            say(envelope);
            if (envelope.sequence() == 3) {
                new CountDownLatch(1).await();
            }
        }

        private static void handlePoison(EventEnvelope envelope) {
            say(envelope);
            if (envelope.aggregateId().equals("3") && envelope.sequence() == 1) {
                Runtime.getRuntime().halt(EXIT);
            }
        }

        private static void say(EventEnvelope envelope) {
            WorkerProcess.say("handling " + envelope.aggregateId() + "#" + envelope.sequence());
        }
    }
}
