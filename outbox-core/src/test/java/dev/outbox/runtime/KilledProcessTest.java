package dev.outbox.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.HandlerDefinition.EnvelopeHandler;
import dev.outbox.dispatch.DispatchSettings;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.observe.OutboxObserver;
import dev.outbox.poll.PollerSettings;
import dev.outbox.publish.PublisherSettings;
import dev.outbox.retention.RetentionSettings;
import dev.outbox.runtime.RuntimeSettings.Polling;
import dev.outbox.runtime.RuntimeSettings.Schemas;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

class KilledProcessTest {

    private static final Duration LEASE = Duration.ofSeconds(2);

    @Test
    void g2EventsOfAKilledProcessAreDeliveredAgainInOrder() throws Exception {
        try (TestOutbox outbox = TestOutbox.create();
                TestOutbox restarted = outbox.another()) {
            processIsKilledAtTheThirdOfFiveEvents(outbox, "any");

            Recorded handler = Recorded.all();
            restarted
                    .handler("any", "*", handler)
                    .poller(Duration.ofMillis(100), 50, LEASE)
                    .start();
            await().atMost(Duration.ofSeconds(30)).until(() -> outbox.count("events.outbox_published") == 5);
            assertThat(handler.sequences()).containsEntry("1", List.of(1L, 2L, 3L, 4L, 5L));
            assertThat(outbox.sql()
                            .sql("SELECT DISTINCT attempt_count FROM events.outbox")
                            .query(Integer.class)
                            .list())
                    .containsExactly(2);
        }
    }

    @Test
    void g7EffectsThatAKilledProcessCommittedAreNotRepeated() throws Exception {
        try (TestOutbox outbox = TestOutbox.create();
                TestOutbox restarted = outbox.another()) {
            outbox.sql().sql(Doomed.EFFECTS).update();
            processIsKilledAtTheThirdOfFiveEvents(outbox, Doomed.ONCE);
            assertThat(effects(outbox)).containsExactly(1L, 2L);

            Recorded handled = Recorded.all();
            AtomicInteger duplicates = new AtomicInteger();
            restarted
                    .handler(Doomed.once(restarted.dataSource(), handled))
                    .observer(new OutboxObserver() {
                        @Override
                        public void deduplicated(String stream, String handlerId) {
                            duplicates.incrementAndGet();
                        }
                    })
                    .poller(Duration.ofMillis(100), 50, LEASE)
                    .start();
            await().atMost(Duration.ofSeconds(30)).until(() -> outbox.count("events.outbox_published") == 5);
            assertThat(effects(outbox)).containsExactly(1L, 2L, 3L, 4L, 5L);
            assertThat(handled.sequences()).containsEntry("1", List.of(3L, 4L, 5L));
            assertThat(duplicates).hasValue(2);
        }
    }

    private static List<Long> effects(TestOutbox outbox) {
        return outbox.sql()
                .sql("SELECT aggregate_seq FROM effect ORDER BY aggregate_seq")
                .query(Long.class)
                .list();
    }

    private static void processIsKilledAtTheThirdOfFiveEvents(TestOutbox outbox, String handler) throws Exception {
        List<EventEnvelope> events = IntStream.rangeClosed(1, 5)
                .mapToObj((number) -> outbox.publish("1", new OrderPlaced(number)))
                .toList();
        assertThat(handleInAProcessThatIsKilledAtTheThirdEvent(outbox, handler)).containsExactly("1", "2", "3");
        assertThat(events).allMatch((event) -> outbox.statusOf(event).equals("PROCESSING"));
    }

    private static List<String> handleInAProcessThatIsKilledAtTheThirdEvent(TestOutbox outbox, String handler)
            throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Doomed.class.getName(),
                        outbox.database().jdbcUrl(),
                        outbox.database().username(),
                        outbox.database().password(),
                        handler)
                .redirectErrorStream(true)
                .start();
        List<String> handled = new ArrayList<>();
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String line;
            while (handled.size() < 3 && (line = output.readLine()) != null) {
                if (line.startsWith("handling ")) {
                    handled.add(line.substring("handling ".length()));
                }
            }
            // SIGKILL: no shutdown hook, no finally block, no settlement.
            process.destroyForcibly();
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(137);
        }
        return handled;
    }

    /** A process that claims five events, handles two, and hangs in the third. */
    static final class Doomed {

        /** The id of the handler that deduplicates. */
        static final String ONCE = "once";

        /** No constraint: the second effect of an event would be seen. */
        static final String EFFECTS = "CREATE TABLE effect (aggregate_seq bigint)";

        private Doomed() {}

        public static void main(String[] arguments) throws IOException, InterruptedException {
            PGSimpleDataSource dataSource = new PGSimpleDataSource();
            dataSource.setUrl(arguments[0]);
            dataSource.setUser(arguments[1]);
            dataSource.setPassword(arguments[2]);
            RuntimeSettings settings = new RuntimeSettings(
                    Schemas.defaults(),
                    PublisherSettings.defaults(),
                    new Polling(
                            true,
                            false,
                            Map.of("default", new PollerSettings(Duration.ofMillis(100), 50, LEASE, Duration.ZERO)),
                            Duration.ofDays(7)),
                    DispatchSettings.defaults(),
                    RetentionSettings.defaults());
            HandlerDefinition handler = arguments[3].equals(ONCE)
                    ? once(dataSource, Doomed::handle)
                    : HandlerDefinition.of(arguments[3], Set.of("*"), Doomed::handle);
            new OutboxRuntime(settings, Surroundings.of(dataSource), () -> List.of(handler)).start();
            new CountDownLatch(1).await();
        }

        static HandlerDefinition once(DataSource dataSource, EnvelopeHandler rest) {
            JdbcClient sql = JdbcClient.create(dataSource);
            return HandlerDefinition.of(ONCE, Set.of("*"), (envelope) -> {
                        sql.sql("INSERT INTO effect VALUES (?)")
                                .param(envelope.aggregateSeq())
                                .update();
                        rest.handle(envelope);
                    })
                    .deduplicating();
        }

        private static void handle(EventEnvelope envelope) throws InterruptedException {
            System.out.println("handling " + envelope.aggregateSeq());
            System.out.flush();
            if (envelope.aggregateSeq() == 3) {
                new CountDownLatch(1).await();
            }
        }
    }
}
