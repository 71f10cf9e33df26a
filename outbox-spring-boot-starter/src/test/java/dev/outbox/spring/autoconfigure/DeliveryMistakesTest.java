package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.spring.autoconfigure.Subscriptions.SubscriptionStarted;
import dev.outbox.testing.TestDatabase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionAspectSupport;

/** Mistakes that show at delivery: the dead letter says what failed and what to do. */
@ExtendWith(OutputCaptureExtension.class)
class DeliveryMistakesTest {

    private final TestDatabase database = Applications.database();

    @AfterEach
    void dropDatabase() {
        database.close();
    }

    @Test
    void fieldIsRenamed() {
        application(Renamed.class).run((context) -> {
            Delivery.Failure failure = failureAfterPublication(context);
            assertThat(failure.code()).isEqualTo("PAYLOAD_MISMATCH");
            assertThat(failure.message())
                    .isEqualTo("a field looks renamed: the payload lacks 'tariff' of "
                            + Renamed.SubscriptionStarted.class.getName()
                            + " and has 'plan', which the class does not know; put @JsonAlias(\"plan\") on the component if it"
                            + " was renamed, or @JsonIgnoreProperties(\"plan\") on the class if it is another field; then"
                            + " retry");
        });
    }

    @Test
    void payloadDoesNotFit(CapturedOutput output) {
        application(Unreadable.class).run((context) -> {
            Delivery.Failure failure = failureAfterPublication(context);
            assertThat(failure.code()).isEqualTo("UNDECODABLE_PAYLOAD");
            assertThat(failure.message())
                    .startsWith("the payload does not fit " + Unreadable.SubscriptionStarted.class.getName() + " at ");
            await().untilAsserted(() ->
                    assertThat(output).contains("the delivery is dead until an operator retries or skips it"));
        });
    }

    @Test
    void handlerThrowsError() {
        application(ThrowsError.class)
                .run((context) ->
                        assertThat(failureAfterPublication(context).message()).contains("assertion of the handler"));
    }

    @Test
    void handlerOverflowsTheStack() {
        application(Recursive.class)
                .run((context) ->
                        assertThat(failureAfterPublication(context).code()).contains("StackOverflowError"));
    }

    @Test
    void handlerInterruptsItsThread() {
        application(Interrupts.class).run((context) -> {
            assertThat(failureAfterPublication(context).message()).contains("interrupted by itself");
            assertThat(context.getBean(Interrupts.class).begunInterrupted).isFalse();
        });
    }

    @Test
    void handlerNeverReturns() {
        application(NeverReturns.class)
                .withPropertyValues("outbox.handlers.mistake.timeout=1s")
                .run((context) -> {
                    Delivery.Failure failure = failureAfterPublication(context);
                    assertThat(failure.code()).isEqualTo("HANDLER_TIMEOUT");
                    assertThat(failure.message()).isEqualTo("the handler was interrupted after 1000 ms");
                });
    }

    @Test
    void handlerIgnoresItsTimeout(CapturedOutput output) {
        application(IgnoresInterrupts.class)
                .withPropertyValues("outbox.handlers.mistake.timeout=1s")
                .run((context) -> {
                    context.getBean(Subscriptions.class).start("1", "gold");
                    await().untilAsserted(() -> assertThat(output)
                            .containsPattern(
                                    "mistake has been handling .* for \\d+ s on thread .*, and ignores the interrupt"
                                            + " at its timeout; its whole stream waits, because outbox\\.streams\\.default\\.concurrency is"
                                            + " 1"));
                    context.getBean(IgnoresInterrupts.class).end.countDown();
                });
    }

    @Test
    void handlerRollsItsTransactionBack() {
        application(RollsBack.class)
                .run((context) -> assertThat(failureAfterPublication(context).message())
                        .isEqualTo("the handler returned, but its last transaction was rolled back because of"
                                + " setRollbackOnly, so its work is lost; throw an exception to fail, or commit the"
                                + " transaction to succeed"));
    }

    @ParameterizedTest
    @MethodSource("loops")
    void handlerPublishesItsOwnEventWithoutEnd(Class<?> handler, String aggregate, CapturedOutput output) {
        application(handler).run((context) -> {
            context.getBean(Subscriptions.class).start("1", "gold");
            await().untilAsserted(() -> assertThat(output)
                    .contains("Handler 'mistake' has published SubscriptionStarted of " + aggregate)
                    .contains("at the end of a chain of 100 events"));
        });
    }

    static List<Arguments> loops() {
        return List.of(
                Arguments.of(Repeats.class, "subscription/1"),
                Arguments.of(RepeatsForOthers.class, "subscription/1++"),
                Arguments.of(RepeatsUnordered.class, "unordered/"));
    }

    @ParameterizedTest
    @ValueSource(classes = {ThrowsChecked.class, KeepsWhatFailed.class, WrapsChecked.class})
    void workOfAFailedAttemptCommits(Class<?> handler, CapturedOutput output) {
        application(handler).withBean(Ledger.class).run((context) -> {
            failureAfterPublication(context);
            assertThat(output)
                    .containsOnlyOnce(
                            ", but its transaction committed, so the next attempt repeats its work: Spring commits when a method"
                                    + " throws a checked exception or one of noRollbackFor. Declare"
                                    + " @Transactional(rollbackFor = Exception.class), or throw another exception");
        });
    }

    @ParameterizedTest
    @ValueSource(classes = {ThrowsUnchecked.class, ReadsAndThrowsChecked.class, FailsAfterItsService.class})
    void workOfAFailedAttemptIsRolledBackOrCommittedOnPurpose(Class<?> handler, CapturedOutput output) {
        application(handler).withBean(Ledger.class).run((context) -> {
            failureAfterPublication(context);
            assertThat(output).doesNotContain("its transaction committed");
        });
    }

    @Test
    void anotherDatabaseIsAway(CapturedOutput output) {
        Applications.on(database)
                .withBean(Subscriptions.class)
                .withBean(ReportsElsewhere.class)
                .run((context) -> {
                    for (int i = 0; i < 5; i++) {
                        context.getBean(Subscriptions.class).start(String.valueOf(i), "gold");
                    }
                    OutboxOperations operations = context.getBean(OutboxOperations.class);
                    await().untilAsserted(() -> assertThat(operations.find(DeliverySelection.all(), 10))
                            .hasSize(5)
                            .allSatisfy((delivery) -> {
                                assertThat(delivery.state().status()).isEqualTo(DeliveryStatus.OPEN);
                                assertThat(delivery.attempts().ended()).isEqualTo(2);
                                assertThat(delivery.attempts().failed()).isZero();
                            }));
                    assertThat(output)
                            .containsOnlyOnce("mistake failed with")
                            .contains(
                                    "(attempt 1, not counted); next attempt in 1 s (a handler's outages are logged once a"
                                            + " minute)");
                });
    }

    private ApplicationContextRunner application(Class<?> handler) {
        return Applications.on(database)
                .withBean(Subscriptions.class)
                .withBean(handler)
                .withPropertyValues("outbox.retry.delays=0s", "outbox.retry.max-attempts=2");
    }

    private static Delivery.Failure failureAfterPublication(ApplicationContext context) {
        context.getBean(Subscriptions.class).start("1", "gold");
        OutboxOperations operations = context.getBean(OutboxOperations.class);
        DeliverySelection dead = DeliverySelection.all().ofHandler("mistake").withStatus(DeliveryStatus.DEAD);
        await().until(() -> operations.count(dead).value() == 1);
        List<Delivery> found = operations.find(dead, 1);
        return Objects.requireNonNull(found.get(0).attempts().lastFailure());
    }

    static class Renamed {

        record SubscriptionStarted(String tariff) {}

        @OutboxHandler(id = "mistake", eventTypes = "SubscriptionStarted")
        void handle(SubscriptionStarted event) {}
    }

    static class Unreadable {

        record SubscriptionStarted(int plan) {}

        @OutboxHandler(id = "mistake", eventTypes = "SubscriptionStarted")
        void handle(SubscriptionStarted event) {}
    }

    static class ThrowsError {
        @OutboxHandler(id = "mistake")
        void handle(SubscriptionStarted event) {
            throw new AssertionError("assertion of the handler");
        }
    }

    static class Recursive {
        @OutboxHandler(id = "mistake")
        void handle(SubscriptionStarted event) {
            up(1);
        }

        private int up(int level) {
            return down(level + 1) + 1;
        }

        private int down(int level) {
            return up(level + 1) - 1;
        }
    }

    static class Interrupts {

        volatile boolean begunInterrupted;

        @OutboxHandler(id = "mistake")
        void handle(SubscriptionStarted event) {
            begunInterrupted |= Thread.currentThread().isInterrupted();
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted by itself");
        }
    }

    static class NeverReturns {
        @OutboxHandler(id = "mistake")
        void handle(SubscriptionStarted event) throws InterruptedException {
            new CountDownLatch(1).await();
        }
    }

    static class IgnoresInterrupts {

        final CountDownLatch end = new CountDownLatch(1);

        @OutboxHandler(id = "mistake")
        void handle(SubscriptionStarted event) {
            boolean ended = false;
            while (!ended) {
                try {
                    ended = end.await(1, TimeUnit.MINUTES);
                } catch (InterruptedException ex) {
                    // The mistake.
                }
            }
        }
    }

    static class Repeats {

        private final Subscriptions subscriptions;

        Repeats(Subscriptions subscriptions) {
            this.subscriptions = subscriptions;
        }

        @OutboxHandler(id = "mistake")
        void handle(SubscriptionStarted event, EventEnvelope envelope) {
            subscriptions.start(envelope.aggregateId(), event.plan());
        }
    }

    /** Publishes for a new aggregate each time. */
    static class RepeatsForOthers {

        private final Subscriptions subscriptions;

        RepeatsForOthers(Subscriptions subscriptions) {
            this.subscriptions = subscriptions;
        }

        @OutboxHandler(id = "mistake")
        void handle(SubscriptionStarted event, EventEnvelope envelope) {
            subscriptions.start(envelope.aggregateId() + "+", event.plan());
        }
    }

    static class RepeatsUnordered {

        private final Subscriptions subscriptions;

        RepeatsUnordered(Subscriptions subscriptions) {
            this.subscriptions = subscriptions;
        }

        @OutboxHandler(id = "mistake")
        void handle(SubscriptionStarted event) {
            subscriptions.announce(event.plan());
        }
    }

    static class Ledger {

        @Transactional
        public void book() {}

        @Transactional
        public void bookAndThrow() throws IOException {
            throw new IOException("no receipt");
        }
    }

    static class ThrowsChecked {
        @Transactional
        @OutboxHandler(id = "mistake")
        public void handle(SubscriptionStarted event) throws IOException {
            throw new IOException("no receipt");
        }
    }

    static class KeepsWhatFailed {
        @Transactional(noRollbackFor = IllegalStateException.class)
        @OutboxHandler(id = "mistake")
        public void handle(SubscriptionStarted event) {
            throw new IllegalStateException("no receipt");
        }
    }

    record WrapsChecked(Ledger ledger) {
        @OutboxHandler(id = "mistake")
        void handle(SubscriptionStarted event) {
            try {
                ledger.bookAndThrow();
            } catch (IOException ex) {
                throw new UncheckedIOException(ex);
            }
        }
    }

    static class ThrowsUnchecked {
        @Transactional
        @OutboxHandler(id = "mistake")
        public void handle(SubscriptionStarted event) {
            throw new IllegalStateException("no receipt");
        }
    }

    static class ReadsAndThrowsChecked {
        @Transactional(readOnly = true)
        @OutboxHandler(id = "mistake")
        public void handle(SubscriptionStarted event) throws IOException {
            throw new IOException("no receipt");
        }
    }

    record FailsAfterItsService(Ledger ledger) {
        @OutboxHandler(id = "mistake")
        void handle(SubscriptionStarted event) throws IOException {
            ledger.book();
            throw new IOException("no receipt");
        }
    }

    static class ReportsElsewhere {

        private final DataSource reports = new DriverManagerDataSource("jdbc:postgresql://localhost:1/reports");

        @OutboxHandler(id = "mistake")
        void handle(SubscriptionStarted event) {
            JdbcClient.create(reports).sql("INSERT INTO report VALUES (1)").update();
        }
    }

    static class RollsBack {
        @Transactional
        @OutboxHandler(id = "mistake")
        public void handle(SubscriptionStarted event) {
            TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
        }
    }
}
