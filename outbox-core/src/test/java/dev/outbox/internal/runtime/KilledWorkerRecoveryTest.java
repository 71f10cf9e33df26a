package dev.outbox.internal.runtime;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.fixture.WorkerProcess;
import dev.outbox.internal.claim.ClaimSteps;
import dev.outbox.internal.lane.LaneSteps;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.testing.Guarantee;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
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

    private final TestOutbox outbox = TestOutbox.create();
    private final Recorded handled = Recorded.all();

    @AfterEach
    void close() {
        outbox.close();
    }

    @Test
    void retriesFirstDeliveriesSoonAfterWorkerCrash() throws SQLException {
        outbox.addStream("default");
        outbox.publishTogether(EVENTS, AGGREGATES);
        assertThat(new ClaimSteps(outbox)
                        .claim(EVENTS, ActiveHandlers.ofAllTypes())
                        .events())
                .hasSize(EVENTS);

        survivorsHandleAllSoon();
        assertThat(outbox.values(Integer.class, "SELECT DISTINCT attempt_count FROM events.outbox"))
                .as("the pass that was cut short counts")
                .containsExactly(1);
    }

    @Test
    void retriesRedeliveriesSoonAfterWorkerCrash() throws SQLException {
        outbox.addStream("default");
        queueForRedelivery(outbox.publishTogether(EVENTS, AGGREGATES));
        assertThat(new LaneSteps(outbox).claimDue(EVENTS, ActiveHandlers.ofAllTypes("any")))
                .hasSize(EVENTS);

        survivorsHandleAllSoon();
    }

    /** Two other instances take over what a worker has claimed that renews its lease no more. */
    private void survivorsHandleAllSoon() {
        ConcurrentMap<Long, Long> startedAt = new ConcurrentHashMap<>();
        outbox.update(
                "UPDATE events.outbox_claim SET locked_until = clock_timestamp() + ?::interval", LEASE.toString());
        long killedAt = System.nanoTime();
        try (TestOutbox one = outbox.another();
                TestOutbox other = outbox.another()) {
            for (TestOutbox survivor : List.of(one, other)) {
                survivor
                        .handler("any", "*", (envelope) -> {
                            startedAt.putIfAbsent(envelope.id(), System.nanoTime());
                            LockSupport.parkNanos(HANDLING.toNanos());
                            handled.handle(envelope);
                        })
                        .stream("default", SETTINGS)
                        .start();
            }
            await().atMost(Duration.ofSeconds(90)).until(() -> outbox.published() == EVENTS);
        }

        // Without the recovery, each event of an aggregate would wait for a lease, 12 s in all.
        // Sixteen threads handle what four of each aggregate's events leave to do one after the other.
        Duration ownHandling = HANDLING.multipliedBy(EVENTS / 16 + EVENTS / AGGREGATES);
        long last = startedAt.values().stream().mapToLong(Long::longValue).max().orElseThrow();
        assertThat(Duration.ofNanos(last - killedAt))
                .as("from the kill to the last start")
                .isLessThan(LEASE.plusSeconds(6).plus(ownHandling));
        assertThat(handled.sequences())
                .hasSize(AGGREGATES)
                .allSatisfy((aggregate, sequences) -> assertThat(sequences).isEqualTo(List.of(1L, 2L, 3L, 4L)));
    }

    @Test
    @Guarantee(
            value = "G8",
            sentence = "An event that crashes its process again and again ends dead; the others are handled.")
    void eventThatCrashesItsProcessEndsDeadAlone() throws Exception {
        List<EventEnvelope> events = outbox.publishOrders("1", "2", "3", "4", "5");
        EventEnvelope poison = events.get(2);
        EventEnvelope behind = outbox.publish("3", new OrderPlaced(6));
        int crashes = 0;
        Set<String> started = new TreeSet<>();
        while (!outbox.statusOf(poison).equals("DEAD")) {
            try (WorkerProcess process = WorkerProcess.start(outbox, Doomed.class)) {
                String said = process.hear();
                while (!said.equals("handling 3#1") && !said.equals("handling 3#2")) {
                    started.add(said);
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
        assertThat(started).contains("handling 1#1", "handling 2#1", "handling 4#1", "handling 5#1");
        assertThat(outbox.values(
                        String.class,
                        "SELECT outbox_id || ' ' || last_error_code FROM events.outbox_delivery"
                                + " WHERE status = 'DEAD'"))
                .containsExactly(poison.id() + " CRASH_LOOP");
        try (TestOutbox survivor = outbox.another()) {
            survivor.handler("any", "*", handled).stream("default", SETTINGS).start();
            await().atMost(Duration.ofSeconds(30)).until(() -> outbox.published() == 5);
        }
        assertThat(outbox.event(behind)).isPublished();
    }

    private void queueForRedelivery(List<EventEnvelope> events) {
        Lanes lanes = new Lanes(outbox);
        events.forEach((event) -> {
            if (event.sequence() == 1) {
                lanes.failed("any", event);
            } else {
                lanes.waiting("any", event);
            }
        });
        outbox.update("UPDATE events.outbox_delivery SET retry_count = 0");
        lanes.due();
    }

    /** A process that ends at the first event of aggregate 3. */
    static final class Doomed {

        static final int EXIT = 3;

        private Doomed() {}

        public static void main(String[] arguments) throws InterruptedException {
            WorkerProcess.work(
                    WorkerProcess.database(arguments), HandlerDefinition.of("any", Set.of("*"), Doomed::handle));
            new CountDownLatch(1).await();
        }

        private static void handle(EventEnvelope envelope) {
            WorkerProcess.say("handling " + envelope.aggregateId() + "#" + envelope.sequence());
            if (envelope.aggregateId().equals("3") && envelope.sequence() == 1) {
                Runtime.getRuntime().halt(EXIT);
            }
        }
    }
}
