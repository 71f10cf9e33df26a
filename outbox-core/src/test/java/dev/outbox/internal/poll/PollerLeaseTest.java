package dev.outbox.internal.poll;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import com.zaxxer.hikari.HikariConfig;
import dev.outbox.EventEnvelope;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.LoggedLines;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.testing.Guarantee;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;

/** Leases of the poller while handlers run and when it closes. */
class PollerLeaseTest {

    private static final Duration NEVER = Duration.ofHours(1);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @RegisterExtension
    private final LoggedLines log = LoggedLines.of("dev.outbox.internal.claim");

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
                assertThat(
                                single.value(
                                        Integer.class,
                                        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in%'"))
                        .isZero();
                assertThat(
                                single.value(
                                        Integer.class,
                                        "SELECT count(*) FROM pg_locks JOIN pg_stat_activity a USING (pid) WHERE relation = 'events.outbox_unpublished'::regclass AND a.usename = current_user AND pid <> pg_backend_pid()"))
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
        return outbox.value(String.class, "SELECT locked_until::text FROM events.outbox_claim");
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
                .onLostLease(lost::incrementAndGet)
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
        assertThat(log.messages(Level.WARN))
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
        new Lanes(outbox).claimed(envelope, "-1 second");

        outbox.handler("any", "*", (event) -> {}).start();

        assertThat(outbox.event(envelope)).becomesPublished();
        assertThat(log.messages(Level.WARN)).contains("Delivering again after an expired lease: " + envelope);
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
        outbox.closeBeside(release);

        assertThat(handler.handled()).hasSize(1);
        assertThat(outbox.claims()).isZero();
        assertThat(outbox.statuses()).containsExactly("PUBLISHED", "PENDING", "PENDING");
        assertThat(outbox.value(Integer.class, "SELECT sum(attempt_count) FROM events.outbox"))
                .isZero();
        outbox.start();
        outbox.awaitPublished(3);
        assertThat(handler.sequences()).containsEntry("1", List.of(1L, 2L, 3L));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void handlersThatOutlastTheShutdownTimeoutAreInterruptedWithoutHavingFailed(int concurrency) {
        CountDownLatch handling = new CountDownLatch(concurrency);
        CountDownLatch never = new CountDownLatch(1);
        outbox
                .handler("any", "*", (envelope) -> {
                    handling.countDown();
                    never.await();
                })
                .stream(
                        "default",
                        new PollerSettings(NEVER, 50, concurrency, Duration.ofSeconds(5), Duration.ofMillis(100)));
        List<EventEnvelope> events = outbox.publishOrders("1", "2");
        outbox.start();
        awaitLatch(handling);

        outbox.runtime().close();

        await().untilAsserted(() -> assertThat(events)
                .allSatisfy(
                        (event) -> assertThat(outbox.event(event)).isPending().afterFailures(0)));
        assertThat(outbox.deliveries()).isZero();
    }
}
