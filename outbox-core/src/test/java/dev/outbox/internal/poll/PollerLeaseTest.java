package dev.outbox.internal.poll;

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
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.listener.OutboxListener;
import dev.outbox.testing.Guarantee;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** Leases of the poller while handlers run and when it closes. */
class PollerLeaseTest {

    private static final Duration NEVER = Duration.ofHours(1);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.outbox.internal.claim");
    private final ListAppender<ILoggingEvent> logged = new ListAppender<>();

    @BeforeEach
    void listen() {
        logged.start();
        logger.addAppender(logged);
    }

    @AfterEach
    void close() {
        logger.detachAppender(logged);
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
                seen.set(single.claims());
                assertThat(single.sql()
                                .sql(
                                        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'")
                                .query(Integer.class)
                                .single())
                        .isZero();
                assertThat(single.sql()
                                .sql(
                                        "SELECT count(*) FROM pg_locks JOIN pg_stat_activity a USING (pid) WHERE relation = 'events.outbox_unpublished'::regclass AND a.usename = current_user AND pid <> pg_backend_pid()")
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
                .poller(Duration.ofMillis(100), 50, Duration.ofSeconds(5))
                .start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));
        await().until(() -> outbox.claims() == 1);
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
        MDC.put("traceId", "trace-1");
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));
        MDC.remove("traceId");
        awaitLatch(handling);
        outbox.loseClaims();
        release.countDown();

        assertThat(outbox.event(envelope)).becomesPublished();
        assertThat(lost).hasValue(1);
        assertThat(warnings())
                .anySatisfy((line) -> assertThat(line)
                        .startsWith("Lost the lease in stream default")
                        .contains(
                                "OrderPlaced[", envelope.eventId().toString(), "aggregate=order/1", "traceId=trace-1"));
        assertThat(handler.attemptsOf(envelope)).isEqualTo(2);
    }

    /** Simulates a crashed worker with a claim that has expired. */
    @Test
    void eventsOfAnExpiredLeaseAreNamed() {
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));
        outbox.sql().sql("""
                        INSERT INTO events.outbox_claim (incarnation, stream, worker, locked_until, event_ids, aggregates)
                        SELECT token, 'default', 'crashed', clock_timestamp() - interval '1 second', ARRAY[:id],
                               ARRAY[events.outbox_aggregate_hash('order', '1')]
                          FROM events.outbox_incarnation
                        """).param("id", envelope.id()).update();

        outbox.handler("any", "*", (event) -> {}).start();

        assertThat(outbox.event(envelope)).becomesPublished();
        assertThat(warnings()).contains("Delivering again after an expired lease: " + envelope);
    }

    private List<String> warnings() {
        return logged.list.stream()
                .filter((line) -> line.getLevel() == Level.WARN)
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
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
        outbox.publishOrders("1", 3);
        outbox.handler("any", "*", handler).start();
        awaitLatch(handling);
        Thread closing = new Thread(() -> outbox.runtime().close());
        closing.start();
        await().until(() -> closing.getState() == Thread.State.TIMED_WAITING);
        release.countDown();
        await().until(() -> !closing.isAlive());

        assertThat(handler.handled()).hasSize(1);
        assertThat(outbox.claims()).isZero();
        assertThat(outbox.statuses()).containsExactly("PUBLISHED", "PENDING", "PENDING");
        assertThat(outbox.sql()
                        .sql("SELECT sum(attempt_count) FROM events.outbox")
                        .query(Integer.class)
                        .single())
                .isZero();
        outbox.start();
        outbox.awaitPublished(3);
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
                .stream("default", new PollerSettings(NEVER, 50, Duration.ofSeconds(5), Duration.ofMillis(100)))
                .start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));
        awaitLatch(handling);
        outbox.runtime().close();

        await().untilAsserted(() -> assertThat(outbox.event(envelope)).isPending());
        assertThat(outbox.deliveries()).isZero();
    }
}
