package dev.outbox.internal.dispatch;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.HandlerDefinition.EnvelopeHandler;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.TransactionTemplate;

class SilentRollbackTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final AtomicInteger attempts = new AtomicInteger();

    @BeforeEach
    void createTable() {
        outbox.update("CREATE TABLE effect (seq bigint)");
    }

    @Test
    void lastTransactionRolledBackMeansFailure() {
        outbox.handler("any", "*", (envelope) -> outbox.transactions().executeWithoutResult(this::workInVainAtFirst))
                .start();
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));

        assertThat(outbox.event(event)).becomesRetrying();
        assertThat(outbox.errors())
                .singleElement()
                .asString()
                .startsWith("UnexpectedRollbackException")
                .contains("setRollbackOnly", "throw an exception");
        assertThat(outbox.count("effect")).isZero();
    }

    @Test
    void deduplicatingHandlerThatMarksItsTransactionHasFailed() {
        outbox.handler(HandlerDefinition.of(
                                "any",
                                Set.of("*"),
                                (envelope) -> outbox.transactions().executeWithoutResult(this::workInVainAtFirst))
                        .deduplicating())
                .retry(TestOutbox.AT_ONCE)
                .start();
        outbox.publish("1", new OrderPlaced(1));

        outbox.awaitPublished(1);
        assertThat(attempts).hasValue(2);
        assertThat(outbox.count("effect")).isEqualTo(1);
    }

    @Test
    void laterCommitMakesARollbackDeliberate() {
        handle((envelope) -> {
            outbox.transactions().executeWithoutResult(TransactionStatus::setRollbackOnly);
            outbox.transactions().executeWithoutResult((status) -> work());
        });

        outbox.awaitPublished(1);
        assertThat(attempts).hasValue(1);
    }

    @Test
    void innerRollbackInACommittedTransactionIsDeliberate() {
        TransactionTemplate inner = outbox.transactions();
        inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        handle((envelope) -> outbox.transactions().executeWithoutResult((status) -> {
            work();
            inner.executeWithoutResult(TransactionStatus::setRollbackOnly);
        }));

        outbox.awaitPublished(1);
        assertThat(attempts).hasValue(1);
    }

    @Test
    void exceptionThatTheHandlerCatchesIsDeliberate() {
        handle((envelope) -> {
            attempts.incrementAndGet();
            try {
                outbox.transactions().executeWithoutResult((status) -> {
                    throw new IllegalStateException("out of stock");
                });
            } catch (IllegalStateException expected) {
                // The handler has seen it, and continues.
            }
        });

        outbox.awaitPublished(1);
        assertThat(attempts).hasValue(1);
    }

    private void handle(EnvelopeHandler handler) {
        outbox.handler("any", "*", handler).retry(TestOutbox.AT_ONCE).start();
        outbox.publish("1", new OrderPlaced(1));
    }

    private void work() {
        attempts.incrementAndGet();
        outbox.update("INSERT INTO effect VALUES (1)");
    }

    private void workInVainAtFirst(TransactionStatus status) {
        work();
        if (attempts.get() == 1) {
            status.setRollbackOnly();
        }
    }
}
