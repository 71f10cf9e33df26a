package dev.outbox.internal.processing;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.zaxxer.hikari.HikariConfig;
import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.background.BackgroundLoop;
import dev.outbox.listener.OutboxListener;
import dev.outbox.testing.Guarantee;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class StreamPollerTest {

    private static final Duration NEVER = Duration.ofHours(1);

    private final TestOutbox outbox = TestOutbox.create();

    @AfterEach
    void close() {
        outbox.close();
    }

    @Test
    void commitWakesThePollerOfTheSameProcess() {
        Recorded handler = Recorded.all();
        outbox.handler("any", "*", handler)
                .poller(NEVER, 50, Duration.ofMinutes(1))
                .start();
        for (int i = 1; i <= 20; i++) {
            outbox.publish("1", new OrderPlaced(i));
            int handled = i;
            await().until(() -> handler.handled().size() == handled);
        }
    }

    @Test
    void backlogIsDrainedWithoutPauses() {
        Recorded handler = Recorded.all();
        outbox.handler("any", "*", handler).poller(NEVER, 10, Duration.ofMinutes(1));
        publish(0, 105);
        outbox.start();

        await().until(() -> outbox.count("events.outbox_published") == 105);
        assertThat(handler.sequences())
                .containsEntry("1", LongStream.rangeClosed(1, 105).boxed().toList());
    }

    @Test
    void otherProcessIsWokenByANotification() {
        Recorded handler = Recorded.all();
        outbox.withNotifications().withoutPolling().start();
        try (TestOutbox other = outbox.another()) {
            other.withNotifications()
                    .handler("any", "*", handler)
                    .poller(NEVER, 50, Duration.ofMinutes(1))
                    .start();
            awaitListener();
            publish(0, 5);
            await().until(() -> handler.handled().size() == 5);
            publish(5, 10);
            await().until(() -> handler.handled().size() == 10);
        }
    }

    @Test
    void listenerSurvivesALostConnectionAndMissesNothing() {
        Recorded handler = Recorded.all();
        outbox.withNotifications().withoutPolling().start();
        try (TestOutbox other = outbox.another()) {
            other.withNotifications()
                    .handler("any", "*", handler)
                    .poller(NEVER, 50, Duration.ofMinutes(1))
                    .start();
            awaitListener();
            outbox.sql()
                    .sql(
                            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()")
                    .query(Integer.class)
                    .single();
            publish(0, 5);
            await().until(() -> handler.handled().size() == 5);
        }
    }

    private void awaitListener() {
        await().until(() -> outbox.sql()
                        .sql(
                                "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()")
                        .query(Integer.class)
                        .single()
                == 1);
    }

    @Test
    void idlePollerAsksOnceInEachInterval() {
        AtomicInteger rounds = new AtomicInteger();
        outbox.listener(new OutboxListener() {
                    @Override
                    public void claimed(String stream, Duration duration, int events) {
                        rounds.incrementAndGet();
                    }
                })
                .poller(Duration.ofMillis(100), 50, Duration.ofMinutes(1));
        long begun = System.nanoTime();
        outbox.start();
        await().until(() -> rounds.get() >= 20);
        long millis = Duration.ofNanos(System.nanoTime() - begun).toMillis();
        assertThat(rounds.get()).isLessThanOrEqualTo((int) (millis / 100) + 1);
    }

    @Test
    @Guarantee(value = "G2", sentence = "The poller survives a database outage and continues afterwards.")
    void pollerSurvivesDatabaseOutage() {
        Logger logger = (Logger) LoggerFactory.getLogger(BackgroundLoop.class);
        ListAppender<ILoggingEvent> logged = new ListAppender<>();
        logged.start();
        logger.addAppender(logged);
        logger.setLevel(Level.INFO);
        try {
            Recorded handler = Recorded.all();
            outbox.handler("any", "*", handler)
                    .poller(Duration.ofMillis(50), 50, Duration.ofMinutes(1))
                    .start();
            publish(0, 3);
            await().until(() -> outbox.count("events.outbox_published") == 3);

            outbox.database().cutOff();
            // The sessions were ended one by one, so a round in between may have worked again; from here on none can.
            int before = warnings(logged).size();
            await().atMost(Duration.ofSeconds(30)).until(() -> !warnings(logged).isEmpty());
            await().during(Duration.ofSeconds(2)).until(() -> warnings(logged).size() <= before + 1);
            int during = warnings(logged).size();
            outbox.database().restore();
            // On the pool of the application: it may be back later than that of the owner.
            await().atMost(Duration.ofSeconds(60))
                    .ignoreExceptions()
                    .until(() -> outbox.inTransaction(() -> outbox.count("events.outbox")) == 3);
            publish(3, 6);
            await().atMost(Duration.ofSeconds(60)).until(() -> handler.handled().size() == 6);
            assertThat(warnings(logged)).hasSize(during);
            assertThat(List.copyOf(logged.list).stream()
                            .map(ILoggingEvent::getFormattedMessage)
                            .filter((message) -> message.contains("outbox-poller-default")))
                    .last()
                    .asString()
                    .contains("works again");
        } finally {
            logger.detachAppender(logged);
            logger.setLevel(null);
        }
    }

    private static List<String> warnings(ListAppender<ILoggingEvent> logged) {
        return List.copyOf(logged.list).stream()
                .filter((event) -> event.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .filter((message) -> message.contains("outbox-poller-default"))
                .toList();
    }

    @Test
    @Guarantee(
            value = "G2",
            sentence = "Outcomes of first deliveries are written after an outage; handlers are not repeated.")
    void writesFirstOutcomesAfterOutageWithoutRepeatingHandlers() {
        CountDownLatch handling = new CountDownLatch(1);
        CountDownLatch cutOff = new CountDownLatch(1);
        Recorded handler = Recorded.failing((attempt) -> {
            handling.countDown();
            awaitLatch(cutOff);
            return null;
        });
        outbox.handler("any", "*", handler)
                .poller(NEVER, 50, Duration.ofMinutes(1))
                .start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));
        awaitLatch(handling);
        outbox.database().cutOff();
        cutOff.countDown();
        await().until(() -> handler.handled().size() == 1);
        // Longer than the pool waits for a connection, so that the settlement has failed by then.
        await().pollDelay(Duration.ofSeconds(3)).until(() -> true);
        outbox.database().restore();

        await().atMost(Duration.ofSeconds(60))
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(outbox.statusOf(envelope)).isEqualTo("PUBLISHED"));
        assertThat(handler.attemptsOf(envelope)).isEqualTo(1);
    }

    @Test
    @Guarantee(
            value = "G2",
            sentence = "The outcome of a retry is written after an outage; the handler is not repeated.")
    void writesRetryOutcomeAfterOutageWithoutRepeatingHandler() {
        CountDownLatch retrying = new CountDownLatch(1);
        CountDownLatch cutOff = new CountDownLatch(1);
        Recorded handler = Recorded.failing((attempt) -> {
            if (attempt.number() == 1) {
                return new Exception("once");
            }
            retrying.countDown();
            awaitLatch(cutOff);
            return null;
        });
        outbox.handler("any", "*", handler)
                .retry(TestOutbox.AT_ONCE)
                .poller(Duration.ofMillis(100), 50, Duration.ofMinutes(1))
                .start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));
        awaitLatch(retrying);
        outbox.database().cutOff();
        cutOff.countDown();
        await().until(() -> handler.handled().size() == 1);
        // Longer than the pool waits for a connection, so that the settlement has failed by then.
        await().pollDelay(Duration.ofSeconds(3)).until(() -> true);
        outbox.database().restore();

        await().atMost(Duration.ofSeconds(30))
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(outbox.statusOf(envelope)).isEqualTo("PUBLISHED"));
        assertThat(handler.attemptsOf(envelope)).isEqualTo(2);
    }

    @Test
    @Guarantee(value = "G6", sentence = "While a handler runs, no transaction, row lock or connection is held.")
    void holdsNoConnectionWhileHandlerRuns() {
        HikariConfig pool = new HikariConfig();
        pool.setMaximumPoolSize(1);
        AtomicReference<Long> seen = new AtomicReference<>();
        try (TestOutbox single = TestOutbox.create(pool)) {
            single.handler("any", "*", (envelope) -> {
                // The pool has one connection: this would time out if the poller held it.
                seen.set(single.count("events.outbox_claim"));
                assertThat(single.sql()
                                .sql(
                                        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'")
                                .query(Integer.class)
                                .single())
                        .isZero();
                assertThat(single.sql()
                                .sql(
                                        "SELECT count(*) FROM pg_locks WHERE relation = 'events.outbox_unpublished'::regclass AND pid <> pg_backend_pid()")
                                .query(Integer.class)
                                .single())
                        .isZero();
            });
            single.start();
            EventEnvelope envelope = single.publish("1", new OrderPlaced(1));
            assertThat(single.event(envelope)).becomesPublished();
            assertThat(seen.get()).isEqualTo(1);
        }
    }

    @Test
    void leaseIsRenewedWhileAHandlerRuns() {
        CountDownLatch release = new CountDownLatch(1);
        Recorded handler = Recorded.failing((attempt) -> {
            awaitLatch(release);
            return null;
        });
        outbox.handler("any", "*", handler)
                .poller(NEVER, 50, Duration.ofSeconds(1))
                .start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));
        await().until(() -> outbox.count("events.outbox_claim") == 1);
        String first = lockedUntil();
        await().until(() -> !lockedUntil().equals(first));
        String second = lockedUntil();
        await().until(() -> !lockedUntil().equals(second));
        release.countDown();

        assertThat(outbox.event(envelope)).becomesPublished();
        assertThat(handler.attemptsOf(envelope)).isEqualTo(1);
    }

    private String lockedUntil() {
        return outbox.sql()
                .sql("SELECT locked_until::text FROM events.outbox_claim")
                .query(String.class)
                .single();
    }

    @Test
    @Guarantee(value = "G5", sentence = "The worker reports the lost lease, and the events are delivered again.")
    void lostLeaseIsReportedAndWritesNothing() {
        CountDownLatch handling = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        AtomicInteger lost = new AtomicInteger();
        Recorded handler = Recorded.failing((attempt) -> {
            if (attempt.number() == 1) {
                handling.countDown();
                awaitLatch(release);
            }
            return null;
        });
        outbox.handler("any", "*", handler)
                .listener(new OutboxListener() {
                    @Override
                    public void leaseLost(String stream) {
                        lost.incrementAndGet();
                    }
                })
                .poller(Duration.ofMillis(100), 50, Duration.ofMinutes(1))
                .start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));
        awaitLatch(handling);
        outbox.sql().sql("DELETE FROM events.outbox_claim").update();
        release.countDown();

        assertThat(outbox.event(envelope)).becomesPublished();
        assertThat(lost).hasValue(1);
        assertThat(handler.attemptsOf(envelope)).isEqualTo(2);
    }

    @Test
    void closingFinishesRunningWorkAndReleasesTheRest() {
        CountDownLatch handling = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Recorded handler = Recorded.failing((attempt) -> {
            handling.countDown();
            awaitLatch(release);
            return null;
        });
        publish(0, 3);
        outbox.handler("any", "*", handler).start();
        awaitLatch(handling);
        Thread closing = new Thread(() -> outbox.runtime().close());
        closing.start();
        await().until(() -> closing.getState() == Thread.State.TIMED_WAITING);
        release.countDown();
        await().until(() -> !closing.isAlive());

        assertThat(handler.handled()).hasSize(1);
        assertThat(outbox.count("events.outbox_claim")).isZero();
        assertThat(outbox.sql()
                        .sql("SELECT status FROM events.outbox_status ORDER BY id")
                        .query(String.class)
                        .list())
                .containsExactly("PUBLISHED", "PENDING", "PENDING");
        assertThat(outbox.sql()
                        .sql("SELECT sum(attempt_count) FROM events.outbox")
                        .query(Integer.class)
                        .single())
                .isZero();
        outbox.start();
        await().until(() -> outbox.count("events.outbox_published") == 3);
        assertThat(handler.sequences()).containsEntry("1", List.of(1L, 2L, 3L));
    }

    @Test
    void handlerThatOutlastsTheShutdownTimeoutIsInterruptedWithoutHavingFailed() {
        CountDownLatch handling = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        outbox
                .handler("any", "*", (envelope) -> {
                    handling.countDown();
                    never.await();
                })
                .stream("default", new PollerSettings(NEVER, 50, Duration.ofMinutes(1), Duration.ofMillis(100)))
                .start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));
        awaitLatch(handling);
        outbox.runtime().close();

        assertThat(outbox.event(envelope)).isPending();
        assertThat(outbox.count("events.outbox_delivery")).isZero();
    }

    @Test
    @Guarantee(value = "G4", sentence = "A row that an operator locks before the claim delays its aggregate only.")
    void lockedRowDelaysItsAggregateOnly() throws Exception {
        Recorded handler = Recorded.all();
        outbox.handler("any", "*", handler).poller(Duration.ofMillis(50), 2, Duration.ofMinutes(1));
        publish(0, 3);
        try (Connection operator = outbox.owner().getConnection()) {
            operator.setAutoCommit(false);
            operator.createStatement().execute("SELECT FROM events.outbox WHERE aggregate_seq = 1 FOR UPDATE");
            IntStream.range(0, 5).forEach((i) -> outbox.publish("other" + i, new OrderPaid(i)));
            outbox.start();
            await().until(() -> handler.handled().size() == 5);
            assertThat(handler.sequences()).doesNotContainKey("1");
            operator.rollback();
        }
        await().until(() -> handler.handled().size() == 8);
        assertThat(handler.sequences()).containsEntry("1", List.of(1L, 2L, 3L));
    }

    @Test
    @Guarantee(value = "G4", sentence = "A row that is locked while its handler runs delays its aggregate only.")
    void rowLockedDuringHandlerDelaysItsAggregateOnly() throws Exception {
        CountDownLatch handling = new CountDownLatch(1);
        CountDownLatch locked = new CountDownLatch(1);
        Recorded handler = Recorded.failing((attempt) -> {
            if (attempt.envelope().aggregateId().equals("1")) {
                handling.countDown();
                awaitLatch(locked);
            }
            return attempt.envelope().aggregateSeq() == 2 && attempt.number() == 1 ? new Exception("once") : null;
        });
        outbox.handler("any", "*", handler)
                .retry(TestOutbox.AT_ONCE)
                .poller(Duration.ofMillis(50), 50, Duration.ofSeconds(3));
        publish(0, 3);
        outbox.start();
        awaitLatch(handling);
        try (Connection operator = outbox.owner().getConnection()) {
            operator.setAutoCommit(false);
            operator.createStatement().execute("SELECT FROM events.outbox WHERE aggregate_seq = 1 FOR UPDATE");
            locked.countDown();
            IntStream.range(0, 5).forEach((i) -> outbox.publish("other" + i, new OrderPaid(i)));

            await().until(() -> outbox.count("events.outbox_published") == 5);
            await().during(Duration.ofSeconds(4))
                    .until(() -> handler.sequences().get("1").equals(List.of(1L)));
            assertThat(outbox.sql()
                            .sql("SELECT DISTINCT status FROM events.outbox_status WHERE aggregate_id = '1'")
                            .query(String.class)
                            .list())
                    .containsExactly("PROCESSING");
            operator.rollback();
        }
        await().until(() -> outbox.count("events.outbox_published") == 8);
        assertThat(handler.sequences()).containsEntry("1", List.of(1L, 2L, 3L));
        assertThat(outbox.count("events.outbox_claim")).isZero();
    }

    /** The first batch is being written, which somebody's lock holds up, while the second one is claimed without its aggregates. */
    @Test
    void eventThatWasLeftOutBecauseItsAggregateWasBeingWrittenIsClaimedNext() throws Exception {
        try (Connection operator = outbox.owner().getConnection()) {
            operator.setAutoCommit(false);
            Recorded handler = Recorded.all();
            outbox.handler("any", "*", (envelope) -> {
                        if (envelope.aggregateId().equals("9")) {
                            lockFirstEventOf(operator, "0");
                        } else if (envelope.aggregateId().equals("other")) {
                            operator.rollback();
                        }
                        handler.handle(envelope);
                    })
                    .poller(NEVER, 10, Duration.ofMinutes(1));
            IntStream.range(0, 10).forEach((i) -> outbox.publish("" + i, new OrderPaid(i)));
            outbox.publish("0", new OrderPaid(10));
            outbox.publish("other", new OrderPaid(11));
            outbox.start();

            await().until(() -> handler.handled().size() == 12);
            assertThat(handler.sequences()).containsEntry("0", List.of(1L, 2L));
        }
    }

    private static void lockFirstEventOf(Connection connection, String aggregateId) throws SQLException {
        try (PreparedStatement lock = connection.prepareStatement(
                "SELECT FROM events.outbox WHERE aggregate_id = ? AND aggregate_seq = 1 FOR UPDATE")) {
            lock.setString(1, aggregateId);
            lock.execute();
        }
    }

    @Test
    @Guarantee(value = "G2", sentence = "A delivery is delegated to an instance that has the handler.")
    void delegatesDeliveryToInstanceWithHandler() {
        Recorded here = Recorded.all();
        Recorded there = Recorded.all();
        AtomicInteger completed = new AtomicInteger();
        try (TestOutbox other = outbox.another()) {
            other.handler("there", "*", there).start();
            // Registered, but gone for the moment.
            other.runtime().close();
            outbox.listener(new OutboxListener() {
                        @Override
                        public void completed(String stream, int retries) {
                            completed.incrementAndGet();
                        }
                    })
                    .handler("here", "*", here)
                    .start();
            List<EventEnvelope> events = publish(0, 3);
            await().untilAsserted(() -> assertThat(events)
                    .allSatisfy((event) -> assertThat(outbox.event(event)).isRetrying()));
            assertThat(here.handled()).hasSize(3);
            assertThat(completed).hasValue(0);
            other.start();
            await().untilAsserted(() -> assertThat(events)
                    .allSatisfy((event) -> assertThat(outbox.event(event)).isPublished()));
            assertThat(there.sequences()).containsEntry("1", List.of(1L, 2L, 3L));
        }
    }

    @Test
    void handlerThatNoProcessHasHadForLongIsNoLongerWaitedFor() {
        try (TestOutbox other = outbox.another()) {
            other.handler("expired", "*", Recorded.all()).start();
        }
        outbox.sql()
                .sql("UPDATE events.outbox_handler SET last_seen_at = now() - interval '8 days'")
                .update();
        outbox.handler("here", "*", Recorded.all()).start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));

        assertThat(outbox.event(envelope)).becomesPublished();
    }

    @Test
    void eventThatNobodyWantsIsPublishedAndCounted() {
        AtomicInteger unrouted = new AtomicInteger();
        outbox.listener(new OutboxListener() {
                    @Override
                    public void unrouted(String stream) {
                        unrouted.incrementAndGet();
                    }
                })
                .handler("paid", "OrderPaid", Recorded.all())
                .start();
        EventEnvelope first = outbox.publish("1", new OrderPlaced(1));
        EventEnvelope second = outbox.publish("1", new OrderPlaced(2));

        assertThat(outbox.event(second)).becomesPublished();
        assertThat(outbox.event(first)).isPublished();
        assertThat(unrouted).hasValue(2);
    }

    @Test
    void failingListenerDoesNotAffectDelivery() {
        outbox.listener((OutboxListener) java.lang.reflect.Proxy.newProxyInstance(
                        getClass().getClassLoader(),
                        new Class<?>[] {OutboxListener.class},
                        (proxy, method, arguments) -> {
                            throw new IllegalStateException("listener");
                        }))
                .handler(
                        "any", "*", Recorded.failing((attempt) -> attempt.number() == 1 ? new Exception("once") : null))
                .retry(TestOutbox.AT_ONCE)
                .start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));

        assertThat(outbox.event(envelope)).becomesPublished();
    }

    @Test
    void stuckHandlerOfOneStreamDelaysNoOther() {
        CountDownLatch stuck = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        Recorded handler = Recorded.failing((attempt) -> {
            if (attempt.envelope().stream().equals("slow")) {
                stuck.countDown();
                awaitLatch(release);
            }
            return attempt.number() == 1 && attempt.envelope().aggregateSeq() == 2 ? new Exception("once") : null;
        });
        outbox.handler("any", "*", handler).retry(TestOutbox.AT_ONCE).stream("slow", PollerSettings.defaults())
                .start();
        EventEnvelope slow = outbox.inTransaction(() -> outbox.publisher()
                .publish(OutboxEvent.of("report", "1", new OrderPlaced(1)).inStream("slow")));
        awaitLatch(stuck);

        publish(0, 200);

        await().until(() -> outbox.count("events.outbox_published") == 200);
        assertThat(handler.sequences())
                .containsEntry("1", LongStream.rangeClosed(1, 200).boxed().toList());
        assertThat(outbox.event(slow)).isProcessing();
        release.countDown();
        assertThat(outbox.event(slow)).becomesPublished();
    }

    private List<EventEnvelope> publish(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj((number) -> outbox.publish("1", new OrderPlaced(number)))
                .toList();
    }
}
