package dev.outbox.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.fixture.WorkerProcess;
import dev.outbox.internal.poll.PollerSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a dead worker held is tried again soon, and the event that killed it takes no other with it. */
@Tag("full")
class KilledWorkerRecoveryTest {

    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final PollerSettings SETTINGS =
            new PollerSettings(Duration.ofMillis(100), 200, 8, LEASE, Duration.ofSeconds(10));

    private static final int AGGREGATES = 50;
    private static final int EVENTS = 200;
    private static final Duration HANDLING = Duration.ofMillis(100);

    @Test
    void retriesFirstDeliveriesSoonAfterWorkerCrash() throws Exception {
        retriesSoonAfterWorkerCrash(KilledWorkerRecoveryTest::publish);
    }

    @Test
    void retriesRedeliveriesSoonAfterWorkerCrash() throws Exception {
        retriesSoonAfterWorkerCrash((source) -> queueForRedelivery(source, publish(source)));
    }

    private static void retriesSoonAfterWorkerCrash(Consumer<TestOutbox> arrange) throws Exception {
        ConcurrentMap<Long, Long> startedAt = new ConcurrentHashMap<>();
        Recorded handled = Recorded.all();
        try (TestOutbox outbox = TestOutbox.create();
                TestOutbox other = outbox.another();
                TestOutbox source = outbox.another()) {
            arrange.accept(source);
            try (WorkerProcess process = WorkerProcess.start(outbox, Worker.class, Worker.HANGING)) {
                process.hear();
                await().until(() -> processing(outbox) == EVENTS);
                for (TestOutbox survivor : List.of(outbox, other)) {
                    survivor
                            .handler("any", "*", (envelope) -> {
                                startedAt.putIfAbsent(envelope.id(), System.nanoTime());
                                LockSupport.parkNanos(HANDLING.toNanos());
                                handled.handle(envelope);
                            })
                            .stream("default", SETTINGS)
                            .start();
                }
                process.kill();
            }
            long killedAt = System.nanoTime();
            await().atMost(Duration.ofSeconds(90)).until(() -> outbox.count("events.outbox_published") == EVENTS);

            // Without the recovery, each event of an aggregate would wait for a lease, 12 s in all.
            // Sixteen threads handle what four of each aggregate's events leave to do one after the other.
            Duration ownHandling = HANDLING.multipliedBy(EVENTS / 16 + EVENTS / AGGREGATES);
            long last =
                    startedAt.values().stream().mapToLong(Long::longValue).max().orElseThrow();
            assertThat(Duration.ofNanos(last - killedAt))
                    .as("from the kill to the last start")
                    .isLessThan(LEASE.plusSeconds(6).plus(ownHandling));
            assertThat(handled.sequences())
                    .hasSize(AGGREGATES)
                    .allSatisfy((aggregate, sequences) -> assertThat(sequences).isEqualTo(List.of(1L, 2L, 3L, 4L)));
        }
    }

    @Test
    void poisonousEventEndsDeadAlone() throws Exception {
        try (TestOutbox outbox = TestOutbox.create()) {
            List<EventEnvelope> events = publish(outbox);
            EventEnvelope poison = events.get(EVENTS / 2);
            int crashes = 0;
            while (!outbox.statusOf(poison).equals("DEAD")) {
                try (WorkerProcess process =
                        WorkerProcess.start(outbox, Worker.class, Worker.POISONED, "" + poison.id())) {
                    await().atMost(Duration.ofSeconds(60))
                            .until(() -> !process.isAlive()
                                    || outbox.statusOf(poison).equals("DEAD"));
                    crashes += process.isAlive() ? 0 : 1;
                }
                assertThat(crashes).as("crashes of one event").isLessThanOrEqualTo(8);
            }

            Recorded rest = Recorded.all();
            try (TestOutbox survivor = outbox.another()) {
                survivor.handler("any", "*", rest).stream("default", SETTINGS).start();
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> outbox.count("events.outbox_published") == EVENTS - 1);
            }
            assertThat(statuses(outbox)).isEqualTo(Map.of("PUBLISHED", EVENTS - 1L, "DEAD", 1L));
        }
    }

    private static List<EventEnvelope> publish(TestOutbox outbox) {
        return outbox.inTransaction(() -> IntStream.range(0, EVENTS)
                .mapToObj((number) ->
                        outbox.publisher().publish("order", "" + number % AGGREGATES, new OrderPlaced(number)))
                .toList());
    }

    private static void queueForRedelivery(TestOutbox outbox, List<EventEnvelope> events) {
        Lanes lanes = new Lanes(outbox);
        events.forEach((event) -> {
            if (event.sequence() == 1) {
                lanes.failed("any", event);
            } else {
                lanes.waiting("any", event);
            }
        });
        outbox.sql().sql("UPDATE events.outbox_delivery SET retry_count = 0").update();
        new Lanes(outbox).due();
    }

    private static long processing(TestOutbox outbox) {
        return statuses(outbox).getOrDefault("PROCESSING", 0L);
    }

    private static Map<String, Long> statuses(TestOutbox outbox) {
        Map<String, Long> statuses = new ConcurrentHashMap<>();
        outbox.sql()
                .sql("SELECT status, count(*) FROM events.outbox_status GROUP BY status")
                .query((row) -> {
                    statuses.put(row.getString(1), row.getLong(2));
                });
        return statuses;
    }

    /** A process that hangs in its first events, or ends at one of them. */
    static final class Worker {

        static final String HANGING = "hanging";
        static final String POISONED = "poisoned";

        private Worker() {}

        public static void main(String[] arguments) throws InterruptedException {
            long poison = arguments[3].equals(POISONED) ? Long.parseLong(arguments[4]) : -1;
            WorkerProcess.work(
                    WorkerProcess.database(arguments),
                    HandlerDefinition.of("any", Set.of("*"), (envelope) -> handle(envelope, poison)),
                    SETTINGS);
            new CountDownLatch(1).await();
        }

        private static void handle(EventEnvelope envelope, long poison) throws InterruptedException {
            if (poison == -1) {
                WorkerProcess.say("handling " + envelope.id());
                new CountDownLatch(1).await();
            }
            if (envelope.id() == poison) {
                Runtime.getRuntime().halt(3);
            }
        }
    }
}
