package dev.outbox.test.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.outbox.BatchOutcome;
import dev.outbox.DeadLetter;
import dev.outbox.NonRetryableException;
import dev.outbox.OutboxDeadLetter;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxHandler;
import dev.outbox.OutboxPublisher;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.test.DrainResult;
import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.OutboxTest;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.TestContextManager;
import org.springframework.transaction.support.TransactionOperations;

/** What a test method leaves behind fails it at its end. */
@OutboxTest(Orders.class)
@Import(HandlerFailuresTest.Fragile.class)
class HandlerFailuresTest {

    private final TestContextManager manager = new TestContextManager(HandlerFailuresTest.class);

    @Autowired
    private Orders orders;

    @Autowired
    private Fragile fragile;

    @Autowired
    private OutboxPublisher publisher;

    @Autowired
    private TransactionOperations transactions;

    @Autowired
    private OutboxOperations operations;

    @Autowired
    private OutboxTester outbox;

    /** Handlers that throw what a test sets. */
    static class Fragile {

        private @Nullable RuntimeException failure;
        private @Nullable RuntimeException otherFailure;
        private @Nullable RuntimeException methodFailure;
        private @Nullable AssertionError assertion;

        @OutboxHandler(id = "fragile")
        void handle(OrderPlaced order) {
            fail();
        }

        @OutboxHandler(id = "label")
        void print(OrderPlaced order) {
            if (otherFailure != null) {
                throw otherFailure;
            }
        }

        @OutboxHandler(id = "parcel")
        void handle(OrderShipped order) {
            fail();
        }

        @OutboxDeadLetter("parcel")
        void refund(DeadLetter letter) {
            if (methodFailure != null) {
                throw methodFailure;
            }
        }

        @OutboxHandler(id = "stock")
        void count(List<StockCounted> counted, BatchOutcome outcome) {
            if (failure != null) {
                outcome.failed(counted.get(0), failure);
            }
        }

        private void fail() {
            if (assertion != null) {
                throw assertion;
            }
            if (failure != null) {
                throw failure;
            }
        }
    }

    @BeforeEach
    void repair(@Autowired JdbcClient jdbc) {
        ShopTables.empty(jdbc);
        fragile.failure = null;
        fragile.otherFailure = null;
        fragile.methodFailure = null;
        fragile.assertion = null;
    }

    @Test
    void unexpectedFailureFailsTheTest() {
        RuntimeException failure = new IllegalStateException("no connection");

        assertTestFails(() -> {
                    fragile.failure = failure;
                    orders.place("1", "lamp");
                    outbox.drain();
                })
                .withMessageContaining("A handler failed, and the test did not expect it:"
                        + "\n  OrderPlaced of order/1: fragile is due at ")
                .withMessageContaining(
                        " after 1 attempt, the last of which failed with IllegalStateException: no connection"
                                + "\nIf it is to fail, assert it, for example with isRetrying() or isDead(), or call expectFailures().")
                .withCause(failure);
        assertThat(outbox).publishedNothing();
    }

    @Test
    void assertionThatFailsInAHandlerFailsTheTest() {
        AssertionError assertion = new AssertionError("article is null");

        assertTestFails(() -> {
                    fragile.assertion = assertion;
                    orders.place("1", "lamp");
                    outbox.drain();
                })
                .withCause(assertion);
    }

    @Test
    void unreadablePayloadFailsTheTest() {
        assertTestFails(() -> {
                    OutboxEvent event = OutboxEvent.of("order", "1", Map.of("orderId", Map.of()))
                            .withEventType("OrderPlaced");
                    transactions.executeWithoutResult((status) -> publisher.publish(event));
                    outbox.drain();
                })
                .withMessageContaining("OrderPlaced of order/1: fragile is ")
                .havingCause()
                .withMessageContaining("orderId");
    }

    @Test
    void deathAfterAnExpectedRetryFailsTheTest() {
        assertTestFails(() -> {
                    fragile.failure = new IllegalStateException("no connection");
                    orders.place("1", "lamp");
                    while (outbox.advance(Duration.ofHours(1)).drain().retried() > 0) {
                        assertThat(outbox).published(OrderPlaced.class).isRetrying();
                    }
                })
                .withMessageContaining("fragile is dead after 3 attempts");
    }

    static Stream<Consumer<HandlerFailuresTest>> assertionsOnOneAggregate() {
        return Stream.of((test) -> assertThat(test.dieOnce().dead()).isOne(), (test) -> {
            test.dieOnce();
            assertThat(test.outbox).published(OrderPlaced.class).isDead();
        });
    }

    @ParameterizedTest
    @MethodSource("assertionsOnOneAggregate")
    void expectedDeathDoesNotExcuseThatOfAnotherAggregate(Consumer<HandlerFailuresTest> assertion) {
        assertTestFails(() -> {
                    assertion.accept(this);
                    fragile.failure = new NonRetryableException("no such article");
                    orders.place("2", "lamp");
                    outbox.drain();
                })
                .withMessageContaining("OrderPlaced of order/2: fragile is dead")
                .withMessageNotContaining("order/1");
    }

    @Test
    void expectedErrorDoesNotExcuseThatOfAnotherHandler() {
        assertTestFails(() -> {
                    fragile.otherFailure = new IllegalStateException("no printer");
                    failOnce();
                    assertThat(outbox).published(OrderPlaced.class).withError("no connection");
                })
                .withMessageContaining("OrderPlaced of order/1: label is due at ")
                .withMessageNotContaining("fragile is")
                .withCause(fragile.otherFailure);
    }

    static Stream<Consumer<HandlerFailuresTest>> expected() {
        return Stream.of(
                (test) -> assertThat(test.failOnce().retried()).isOne(),
                (test) -> assertThat(test.failOnce().attempts()).hasSize(2),
                (test) -> {
                    test.failOnce();
                    assertThat(test.outbox).published(OrderPlaced.class).isRetrying();
                },
                (test) -> {
                    test.failOnce();
                    assertThat(test.outbox).published(OrderPlaced.class).afterAttempts(1);
                },
                (test) -> {
                    test.failOnce();
                    assertThat(test.outbox).published(OrderPlaced.class).withError("no connection");
                },
                (test) -> {
                    test.failOnce();
                    assertThat(test.outbox).published(OrderPlaced.class).notHandledBy("fragile");
                },
                (test) -> {
                    test.outbox.expectFailures();
                    test.failOnce();
                },
                (test) -> assertThat(test.dieOnce().dead()).isOne(),
                (test) -> {
                    test.dieOnce();
                    assertThat(test.outbox).published(OrderPlaced.class).isDead();
                },
                (test) -> {
                    test.dieOnce();
                    assertThat(test.outbox.events().get(0).deliveries().get(0).dead())
                            .isTrue();
                },
                (test) -> {
                    test.dieOnce();
                    assertThatExceptionOfType(AssertionError.class)
                            .isThrownBy(() -> assertThat(test.outbox).hasNoDeadLetters());
                },
                (test) -> {
                    test.dieOnce();
                    assertThat(test.outbox).published(OrderPlaced.class).isDead();
                    test.operations.retry(DeliverySelection.all().ofHandler("fragile"), "operator", "customer exists");
                });
    }

    @ParameterizedTest
    @MethodSource
    void expected(Consumer<HandlerFailuresTest> test) {
        assertTestPasses(() -> test.accept(this));
    }

    @Test
    void failureThatTheTestCausesIsExpected() {
        assertTestPasses(() -> {
            outbox.failNext("fragile", new IllegalStateException("no connection"));
            orders.place("1", "lamp");
            outbox.drain();
        });
    }

    @Test
    void failureBeforeASuccessfulRetryIsExpected() {
        assertTestPasses(() -> {
            failOnce();
            fragile.failure = null;
            outbox.advance(Duration.ofMinutes(1)).drain();
        });
    }

    @Test
    void deadLetterThatItsMethodHasTakenIsExpected() {
        assertTestPasses(() -> {
            fragile.failure = new NonRetryableException("no such address");
            orders.ship("1");
            outbox.drain();
        });
    }

    @Test
    void deadLetterMethodThatFailsFailsTheTest() {
        assertTestFails(() -> {
                    fragile.methodFailure = new IllegalStateException("no refund");
                    outbox.failNext("parcel", new NonRetryableException("no such address"));
                    orders.ship("1");
                    outbox.drain();
                    assertThat(outbox).published(OrderShipped.class).isDead();
                })
                .withMessage("A dead-letter method failed, and the test did not expect it:"
                        + "\n  OrderShipped of order/1: that of parcel failed with java.lang.IllegalStateException: no refund"
                        + "\nIf it is to fail, call expectFailures().")
                .withCause(fragile.methodFailure);
    }

    @Test
    void failureThatABatchHandlerReportsIsTheCause() {
        assertTestFails(() -> {
                    fragile.failure = new IllegalStateException("scale is broken");
                    orders.count("lamp");
                    outbox.drain();
                })
                .withMessageContaining("StockCounted of article/lamp: stock is due at ")
                .withCause(fragile.failure);
    }

    @Test
    void unusedFailureFailsTheTest() {
        assertTestFails(() -> {
                    outbox.failNext("fragile", new IllegalStateException("no connection"));
                    outbox.failNext("fragile", new IllegalStateException("no answer"));
                    orders.place("1", "lamp");
                    outbox.drain();
                })
                .withMessage("No attempt of the handler used the exception of failNext():"
                        + "\n  fragile: java.lang.IllegalStateException: no answer"
                        + "\nPublish an event that the handler takes and call drain(), or remove failNext().");
    }

    @Test
    void failedTestKeepsItsExceptionAndGetsThatOfTheHandler() throws Exception {
        RuntimeException failure = new IllegalStateException("no connection");
        AssertionError thrown = new AssertionError("expected a mail");
        manager.beforeTestMethod(this, method());
        outbox.failNext("parcel", new IllegalStateException("unused"));
        fragile.failure = failure;
        orders.place("1", "lamp");
        outbox.drain();

        manager.afterTestMethod(this, method(), thrown);

        assertThat(thrown.getSuppressed())
                .singleElement()
                .satisfies((suppressed) -> assertThat(suppressed)
                        .hasMessageStartingWith("A handler failed")
                        .hasMessageNotContaining("failNext")
                        .hasCause(failure));
    }

    private DrainResult dieOnce() {
        fragile.failure = new NonRetryableException("no such customer");
        orders.place("1", "lamp");
        return outbox.drain();
    }

    private DrainResult failOnce() {
        fragile.failure = new IllegalStateException("no connection");
        orders.place("1", "lamp");
        return outbox.drain();
    }

    private ThrowableAssertAlternative<AssertionError> assertTestFails(Runnable test) {
        return assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> run(test));
    }

    private void assertTestPasses(Runnable test) {
        assertThatCode(() -> run(test)).doesNotThrowAnyException();
    }

    private void run(Runnable test) throws Exception {
        manager.beforeTestMethod(this, method());
        test.run();
        manager.afterTestMethod(this, method(), null);
    }

    private static Method method() throws NoSuchMethodException {
        return HandlerFailuresTest.class.getDeclaredMethod("unexpectedFailureFailsTheTest");
    }
}
