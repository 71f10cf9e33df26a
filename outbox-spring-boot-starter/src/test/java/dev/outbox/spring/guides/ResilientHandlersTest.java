package dev.outbox.spring.guides;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.NonRetryableException;
import dev.outbox.OutboxHandler;
import dev.outbox.RetryAfterException;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.spring.autoconfigure.Applications;
import dev.outbox.testing.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.resilience.annotation.ConcurrencyLimit;
import org.springframework.resilience.annotation.ConcurrencyLimit.ThrottlePolicy;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.transaction.annotation.Transactional;

/** Spring's resilience annotations on a handler. */
class ResilientHandlersTest {

    private static final String ONE_ATTEMPT = "outbox.retry.max-attempts=1";

    @AutoClose
    private final TestDatabase database = Applications.database();

    private final Probe probe = new Probe(new AtomicInteger(), new CountDownLatch(1));

    /** State of the handlers, whose proxies have no fields. */
    record Probe(AtomicInteger calls, CountDownLatch proceed) {}

    @Configuration(proxyBeanMethods = false)
    @EnableResilientMethods
    static class Resilience {}

    @Test
    void retriesOfSpringAreOneAttempt() {
        application(FailsTwice.class).withPropertyValues(ONE_ATTEMPT).run((context) -> {
            publish(context, 1);
            await().untilAsserted(() -> assertThat(statuses(context)).containsExactly("PUBLISHED"));
            assertThat(probe.calls()).hasValue(3);
        });
    }

    @Test
    void annotationNeedsEnableResilientMethods() {
        withoutResilience(FailsTwice.class).withPropertyValues(ONE_ATTEMPT).run((context) -> {
            publish(context, 1);
            await().untilAsserted(() -> assertThat(statuses(context)).containsExactly("DEAD"));
            assertThat(probe.calls()).hasValue(1);
        });
    }

    @Test
    void nonRetryableExceptionIsRetriedBySpring() {
        application(NeverWorks.class).run((context) -> {
            publish(context, 1);
            await().untilAsserted(() -> assertThat(statuses(context)).containsExactly("DEAD"));
            assertThat(probe.calls()).hasValue(4);
        });
    }

    @Test
    void excludedExceptionEndsTheRetriesOfSpring() {
        application(Excludes.class).run((context) -> {
            publish(context, 1);
            await().untilAsserted(() -> assertThat(statuses(context)).containsExactly("DEAD"));
            assertThat(probe.calls()).hasValue(1);
        });
    }

    @Test
    void timeoutOfTheHandlerEndsTheRetriesOfSpring() {
        application(WaitsLong.class)
                .withPropertyValues(ONE_ATTEMPT, "outbox.handlers.resilient.timeout=1s")
                .run((context) -> {
                    publish(context, 1);
                    Delivery delivery = awaitFailure(context);
                    assertThat(code(delivery)).isEqualTo("HANDLER_TIMEOUT");
                    assertThat(probe.calls()).hasValue(1);
                });
    }

    @Test
    void deduplicatingHandlerKeepsWhatAFailedTryWrote() {
        assertThat(rowsOf(Deduplicates.class)).isEqualTo(2);
    }

    @Test
    void transactionalHandlerRollsAFailedTryBack() {
        assertThat(rowsOf(IsTransactional.class)).isEqualTo(1);
    }

    private int rowsOf(Class<?> handler) {
        AtomicInteger rows = new AtomicInteger();
        application(handler).withPropertyValues(ONE_ATTEMPT).run((context) -> {
            JdbcClient jdbc = context.getBean(JdbcClient.class);
            jdbc.sql("CREATE TABLE tries (id int)").update();
            publish(context, 1);
            await().untilAsserted(() -> assertThat(statuses(context)).containsExactly("PUBLISHED"));
            rows.set(jdbc.sql("SELECT count(*) FROM tries").query(Integer.class).single());
        });
        return rows.get();
    }

    @Test
    void refusalOfACircuitIsTranslatedIntoAnUncountedAttempt() {
        application(Refused.class).withPropertyValues(ONE_ATTEMPT).run((context) -> {
            publish(context, 1);
            await().untilAsserted(() -> assertThat(statuses(context)).containsExactly("RETRYING"));
            Delivery delivery = context.getBean(OutboxOperations.class)
                    .find(DeliverySelection.all(), 1)
                    .get(0);
            assertThat(delivery.attempts().failed()).isZero();
        });
    }

    @Test
    void blockingLimitHoldsTheThreadsOfTheStream() {
        application(Limited.class)
                .withPropertyValues("outbox.poller.concurrency=2")
                .run((context) -> {
                    publish(context, 2);
                    await().untilAsserted(() -> assertThat(probe.calls()).hasValue(1));
                    await().untilAsserted(() -> assertThat(Thread.getAllStackTraces())
                            .anySatisfy((thread, stack) -> {
                                assertThat(thread.getName()).startsWith("outbox-handler-");
                                assertThat(List.of(stack))
                                        .anySatisfy((frame) -> assertThat(frame.getClassName())
                                                .endsWith("ConcurrencyThrottleSupport"));
                            }));
                    probe.proceed().countDown();
                    await().untilAsserted(
                                    () -> assertThat(statuses(context)).containsExactly("PUBLISHED", "PUBLISHED"));
                });
    }

    @Test
    void rejectingLimitIsAFailedAttempt() {
        application(Rejecting.class)
                .withPropertyValues("outbox.poller.concurrency=2")
                .run((context) -> {
                    publish(context, 2);
                    Delivery delivery = awaitFailure(context);
                    assertThat(code(delivery)).isEqualTo("InvocationRejectedException");
                    assertThat(delivery.attempts().failed()).isEqualTo(1);
                    probe.proceed().countDown();
                    await().untilAsserted(
                                    () -> assertThat(statuses(context)).containsExactly("PUBLISHED", "PUBLISHED"));
                });
    }

    private ApplicationContextRunner application(Class<?> handler) {
        return withoutResilience(handler).withBean(Resilience.class);
    }

    private ApplicationContextRunner withoutResilience(Class<?> handler) {
        return Applications.on(database).withBean(Probe.class, () -> probe).withBean(handler);
    }

    private static void publish(ApplicationContext context, int aggregates) {
        Applications.inTransaction(context, (outbox) -> {
            for (int i = 0; i < aggregates; i++) {
                outbox.publish("order", "order-" + i, new OrderPlaced("order-" + i, "lamp"));
            }
        });
    }

    private static Delivery awaitFailure(ApplicationContext context) {
        OutboxOperations operations = context.getBean(OutboxOperations.class);
        DeliverySelection all = DeliverySelection.all().ofHandler("resilient");
        await().until(() -> operations.find(all, 1).stream()
                .anyMatch((found) -> found.attempts().failed() > 0));
        return operations.find(all, 1).get(0);
    }

    private static String code(Delivery delivery) {
        return Objects.requireNonNull(delivery.attempts().lastFailure()).code();
    }

    private static List<String> statuses(ApplicationContext context) {
        return context.getBean(JdbcClient.class)
                .sql("SELECT status FROM events.outbox ORDER BY id")
                .query(String.class)
                .list();
    }

    static class FailsTwice {

        private final Probe probe;

        FailsTwice(Probe probe) {
            this.probe = probe;
        }

        @Retryable(delay = 10)
        @OutboxHandler(id = "resilient")
        void handle(OrderPlaced event) {
            if (probe.calls().incrementAndGet() < 3) {
                throw new IllegalStateException("not yet");
            }
        }
    }

    static class NeverWorks {

        private final Probe probe;

        NeverWorks(Probe probe) {
            this.probe = probe;
        }

        @Retryable(delay = 10)
        @OutboxHandler(id = "resilient")
        void handle(OrderPlaced event) {
            probe.calls().incrementAndGet();
            throw new NonRetryableException("the order is unknown");
        }
    }

    static class Excludes {

        private final Probe probe;

        Excludes(Probe probe) {
            this.probe = probe;
        }

        @Retryable(
                maxRetries = 2,
                delay = 200,
                excludes = {NonRetryableException.class, RetryAfterException.class})
        @OutboxHandler(id = "resilient")
        void handle(OrderPlaced event) {
            probe.calls().incrementAndGet();
            throw new NonRetryableException("the order is unknown");
        }
    }

    static class WaitsLong {

        private final Probe probe;

        WaitsLong(Probe probe) {
            this.probe = probe;
        }

        @Retryable(delay = 60_000)
        @OutboxHandler(id = "resilient")
        void handle(OrderPlaced event) {
            probe.calls().incrementAndGet();
            throw new IllegalStateException("not yet");
        }
    }

    static class Deduplicates {

        private final Probe probe;
        private final JdbcClient jdbc;

        Deduplicates(Probe probe, JdbcClient jdbc) {
            this.probe = probe;
            this.jdbc = jdbc;
        }

        @Retryable(delay = 10)
        @OutboxHandler(id = "resilient", deduplicate = true)
        void handle(OrderPlaced event) {
            insert(probe, jdbc);
        }
    }

    static class IsTransactional {

        private final Probe probe;
        private final JdbcClient jdbc;

        IsTransactional(Probe probe, JdbcClient jdbc) {
            this.probe = probe;
            this.jdbc = jdbc;
        }

        @Retryable(delay = 10)
        @Transactional
        @OutboxHandler(id = "resilient")
        void handle(OrderPlaced event) {
            insert(probe, jdbc);
        }
    }

    private static void insert(Probe probe, JdbcClient jdbc) {
        jdbc.sql("INSERT INTO tries VALUES (1)").update();
        if (probe.calls().incrementAndGet() < 2) {
            throw new IllegalStateException("not yet");
        }
    }

    static class Refused {

        @OutboxHandler(id = "resilient")
        void handle(OrderPlaced event) {
            try {
                throw new RejectedExecutionException("the circuit is open");
            } catch (RejectedExecutionException ex) {
                throw RetryAfterException.uncounted(Duration.ofSeconds(30), "the circuit of the carrier is open", ex);
            }
        }
    }

    static class Limited {

        private final Probe probe;

        Limited(Probe probe) {
            this.probe = probe;
        }

        @ConcurrencyLimit(1)
        @OutboxHandler(id = "resilient")
        void handle(OrderPlaced event) throws InterruptedException {
            probe.calls().incrementAndGet();
            probe.proceed().await();
        }
    }

    static class Rejecting {

        private final Probe probe;

        Rejecting(Probe probe) {
            this.probe = probe;
        }

        @ConcurrencyLimit(limit = 1, policy = ThrottlePolicy.REJECT)
        @OutboxHandler(id = "resilient")
        void handle(OrderPlaced event) throws InterruptedException {
            probe.proceed().await();
        }
    }
}
