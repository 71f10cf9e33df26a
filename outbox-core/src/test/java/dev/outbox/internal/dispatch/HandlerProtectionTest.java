package dev.outbox.internal.dispatch;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.spi.IThrowableProxy;
import dev.outbox.CircuitBreaker;
import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.fixture.LoggedLines;
import dev.outbox.fixture.MovingClock;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.DispatchSettings.HandlerSettings;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import dev.outbox.listener.OutboxListener;
import dev.outbox.testing.Guarantee;
import java.io.IOException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.transaction.CannotCreateTransactionException;

/** How handlers, and what they work with, are protected from each other and from themselves. */
class HandlerProtectionTest {

    private static final Duration SHORT = Duration.ofMillis(50);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @RegisterExtension
    private final LoggedLines log = LoggedLines.of(FailureLog.class);

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void handlerThatTakesTooLongIsInterruptedAndHasFailed(boolean swallows) {
        Recorded next = Recorded.all();
        AtomicBoolean flag = new AtomicBoolean();
        outbox.handler("slow", "*", (envelope) -> {
                    try {
                        new CountDownLatch(1).await();
                    } catch (InterruptedException ex) {
                        if (!swallows) {
                            throw ex;
                        }
                        // Returns as if the work were done.
                        Thread.currentThread().interrupt();
                    }
                })
                .handler("next", "*", (envelope) -> {
                    flag.set(Thread.currentThread().isInterrupted());
                    next.handle(envelope);
                })
                .settings("slow", new HandlerSettings(SHORT, null, null))
                .start();
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));

        assertThat(outbox.event(event))
                .becomesRetrying()
                .hasDelivery("slow")
                .withErrorCode("HANDLER_TIMEOUT")
                .afterFailures(1);
        assertThat(outbox.deliveries()).isEqualTo(1);
        assertThat(next.handled()).hasSize(1);
        assertThat(flag).isFalse();
    }

    @Test
    void handlersOwnTimeoutAndAttemptsApply() {
        outbox.handler(HandlerDefinition.of("slow", Set.of("*"), (envelope) -> new CountDownLatch(1).await())
                        .timeout(SHORT)
                        .maxAttempts(1))
                .retry(TestOutbox.AT_ONCE)
                .start();
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));

        assertThat(outbox.event(event))
                .becomesDead()
                .hasDelivery("slow")
                .withErrorCode("HANDLER_TIMEOUT")
                .afterFailures(1);
    }

    @Test
    void traceOfATimeoutIsThatOfTheInterruptedHandler() {
        outbox.handler(HandlerDefinition.of("slow", Set.of("*"), (envelope) -> new CountDownLatch(1).await())
                        .timeout(SHORT)
                        .maxAttempts(1))
                .start();
        assertThat(outbox.event(outbox.publish("1", new OrderPlaced(1)))).becomesDead();

        await().until(() -> !log.events().isEmpty());
        IThrowableProxy timeout = log.events().get(0).getThrowableProxy();
        assertThat(timeout.getMessage()).isEqualTo("the handler was interrupted after 50 ms");
        assertThat(timeout.getStackTraceElementProxyArray()).isEmpty();
        assertThat(List.of(timeout.getCause().getStackTraceElementProxyArray()))
                .last()
                .extracting((frame) -> frame.getStackTraceElement().getClassName())
                .isEqualTo(CountDownLatch.class.getName());
    }

    @Test
    void interruptFlagOfASuccessfulHandlerIsCleared() {
        List<Boolean> interrupted = new CopyOnWriteArrayList<>();
        outbox.handler("leaves-flag", "*", (envelope) -> {
            interrupted.add(Thread.currentThread().isInterrupted());
            Thread.currentThread().interrupt();
        });
        outbox.publish("1", new OrderPlaced(1));
        outbox.publish("2", new OrderPlaced(1));
        outbox.start();

        outbox.awaitPublished(2);
        assertThat(interrupted).containsExactly(false, false);
    }

    @Test
    void deduplicatingHandlerThatTakesTooLongIsRolledBack() {
        AtomicInteger attempts = new AtomicInteger();
        outbox.update("CREATE TABLE effect (seq bigint)");
        outbox.handler(HandlerDefinition.of("slow", Set.of("*"), (envelope) -> {
                            outbox.update("INSERT INTO effect VALUES (1)");
                            if (attempts.incrementAndGet() == 1) {
                                CountDownLatch never = new CountDownLatch(1);
                                try {
                                    never.await();
                                } catch (InterruptedException ex) {
                                    // Returns as if the work were done.
                                }
                            }
                        })
                        .deduplicating())
                .settings("slow", new HandlerSettings(Duration.ofSeconds(2), null, null))
                .retry(TestOutbox.AT_ONCE)
                .start();
        outbox.publish("1", new OrderPlaced(1));

        outbox.awaitPublished(1);
        assertThat(attempts).hasValue(2);
        assertThat(outbox.count("effect")).isEqualTo(1);
    }

    @Test
    void handlerLearnsTheNumberOfItsAttempt() {
        List<Integer> attempts = new CopyOnWriteArrayList<>();
        outbox.handler(HandlerDefinition.withContext(
                        "asking", Set.of("*"), null, (Object payload, EventEnvelope envelope, EventContext context) -> {
                            attempts.add(context.attempt());
                            assertThat(context.isLeaseLost()).isFalse();
                            if (context.attempt() < 3) {
                                throw new IOException("again");
                            }
                        }))
                .retry(TestOutbox.AT_ONCE)
                .start();
        outbox.publish("1", new OrderPlaced(1));

        outbox.awaitPublished(1);
        assertThat(attempts).containsExactly(1, 2, 3);
    }

    @Test
    @Guarantee(value = "G5", sentence = "A handler can find out that its lease is lost.")
    void handlerLearnsThatItsLeaseIsLost() {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch lost = new CountDownLatch(1);
        AtomicInteger leasesLost = new AtomicInteger();
        outbox.handler(HandlerDefinition.withContext(
                        "asking", Set.of("*"), null, (Object payload, EventEnvelope envelope, EventContext context) -> {
                            begun.countDown();
                            await().until(context::isLeaseLost);
                            lost.countDown();
                        }))
                .onLostLease(leasesLost::incrementAndGet)
                .poller(Duration.ofHours(1), 10, Duration.ofSeconds(5))
                .start();
        outbox.publish("1", new OrderPlaced(1));
        awaitLatch(begun);
        outbox.loseClaims();

        awaitLatch(lost);
        await().until(() -> leasesLost.get() == 1);
        assertThat(outbox.published()).isZero();
    }

    @Test
    @Guarantee(value = "G8", sentence = "A database failure uses up no attempt.")
    void databaseFailureUsesNoAttempt() {
        Set<Class<? extends Throwable>> whateverIsListed = Set.of(RuntimeException.class, SQLException.class);
        Recorded handler = Recorded.failing((attempt) -> switch (attempt.number()) {
            case 1 ->
                new CannotCreateTransactionException(
                        "no connection", new SQLTransientConnectionException("pool exhausted"));
            case 2 -> new IllegalStateException(new SQLException("shutting down", "57P01"));
            case 3 -> new IllegalStateException(new SQLException("broken", "08006"));
            case 4 -> new IOException("counts");
            case 5 -> new SQLTransientConnectionException("pool exhausted");
            default -> null;
        });
        outbox.handler("any", "*", handler)
                .retry(new RetryPolicy(new Backoff.Delays(List.of(Duration.ZERO)), 2, 3, whateverIsListed))
                .start();
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));

        assertThat(outbox.event(event)).becomesPublished();
        assertThat(handler.attemptsOf(event)).isEqualTo(6);
        assertThat(outbox.value(String.class, "SELECT attempt_count || ' ' || retry_count FROM events.outbox"))
                .isEqualTo("5 1");
    }

    @Test
    void circuitClosesInOrderWhenOneEventSucceeds() {
        AtomicBoolean down = new AtomicBoolean(true);
        AtomicInteger opened = new AtomicInteger();
        MovingClock clock = new MovingClock();
        Recorded mail = Recorded.failing((attempt) -> down.get() ? new IOException("provider is down") : null);
        Recorded other = Recorded.all();
        outbox.handler("mail", "*", mail)
                .handler("other", "*", other)
                .settings("mail", new HandlerSettings(null, new CircuitBreaker(5, Duration.ofMinutes(1)), null))
                .retry(new RetryPolicy(new Backoff.Delays(List.of(Duration.ZERO)), 3))
                .clock(clock)
                .listener(new OutboxListener() {
                    @Override
                    public void circuitOpened(String stream, String handlerId) {
                        opened.incrementAndGet();
                    }
                })
                .poller(Duration.ofMillis(50), 10, Duration.ofMinutes(1));
        IntStream.rangeClosed(1, 100).forEach((number) -> {
            outbox.publish("" + number, new OrderPlaced(1));
            outbox.publish("" + number, new OrderPlaced(2));
        });
        outbox.start();
        await().until(() -> other.handled().size() == 200 && outbox.deliveries() == 200);
        clock.advance(Duration.ofMinutes(1));
        await().until(() -> attempts() == 6);

        assertThat(opened).hasValue(1);
        assertThat(outbox.count("events.outbox_status WHERE status = 'DEAD'")).isZero();
        down.set(false);
        clock.advance(Duration.ofMinutes(1));
        outbox.awaitPublished(200);
        assertThat(mail.sequences())
                .hasSize(100)
                .allSatisfy((aggregate, sequences) -> assertThat(sequences).containsExactly(1L, 2L));
    }

    @Test
    void eventsThatWaitProbeAnOpenCircuitBeforeNewOnes() {
        AtomicBoolean down = new AtomicBoolean(true);
        MovingClock clock = new MovingClock();
        outbox.handler("mail", "*", (envelope) -> {
                    if (down.get() || envelope.aggregateId().equals("new")) {
                        throw new IOException("provider is down");
                    }
                })
                .settings("mail", new HandlerSettings(null, new CircuitBreaker(5, Duration.ofMinutes(1)), null))
                .retry(new RetryPolicy(new Backoff.Delays(List.of(Duration.ZERO)), 100))
                .clock(clock)
                .poller(Duration.ofHours(1), 10, Duration.ofMinutes(1))
                .start();
        IntStream.rangeClosed(1, 5).forEach((number) -> outbox.publish("" + number, new OrderPlaced(1)));
        await().until(() -> outbox.runtime().openCircuits().contains("mail"));
        down.set(false);
        clock.advance(Duration.ofMinutes(1));
        outbox.publish("new", new OrderPlaced(1));

        outbox.awaitPublished(5);
    }

    private int attempts() {
        return outbox.value(Integer.class, "SELECT sum(retry_count) FROM events.outbox_delivery");
    }
}
