package dev.outbox.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionAspectSupport;

/** Mistakes that show at delivery: the dead letter says what failed and what to do. */
@ExtendWith(OutputCaptureExtension.class)
class DeliveryMistakesTest {

    @AutoClose
    private final TestDatabase database = Applications.database();

    @Test
    void handlerNeverReturns(CapturedOutput output) {
        application(NeverReturns.class)
                .withPropertyValues("outbox.handlers.mistake.timeout=1s", "outbox.retry.max-attempts=1")
                .run((context) -> {
                    Delivery.Failure failure = failureAfterPublication(context);
                    assertThat(failure.code()).isEqualTo("HANDLER_TIMEOUT");
                    assertThat(failure.message()).isEqualTo("the handler was interrupted after 1 s");
                    await().untilAsserted(() ->
                            assertThat(output).contains("the delivery is dead until an operator retries or skips it"));
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

    static class NeverReturns {
        @OutboxHandler(id = "mistake")
        void handle(SubscriptionStarted event) throws InterruptedException {
            new CountDownLatch(1).await();
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

    static class RollsBack {
        @Transactional
        @OutboxHandler(id = "mistake")
        public void handle(SubscriptionStarted event) {
            TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
        }
    }
}
