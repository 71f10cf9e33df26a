package dev.outbox.internal.dispatch;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.outbox.EventEnvelope;
import dev.outbox.RetryAfterException;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ErrorClassificationTest {

    /** Three attempts, at once. */
    private static final RetryPolicy POLICY =
            new RetryPolicy(new Backoff.Delays(List.of(Duration.ZERO)), 3, 3, Set.of(IOException.class));

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create().poller(Duration.ofMillis(50), 50, Duration.ofMinutes(1));

    @Test
    void anonymousExceptionHasACode() {
        assertThat(FailedAttempts.failure(new IllegalStateException("broken") {})
                        .code())
                .startsWith("ErrorClassificationTest$");
    }

    static Stream<Arguments> failures() {
        Exception circular = new Exception();
        circular.initCause(new Exception(circular));
        return Stream.of(
                arguments(new IOException("listed"), 1),
                arguments(new FileNotFoundException("subclass of a listed exception"), 1),
                arguments(new UncheckedIOException("with a listed cause", new IOException("bad request")), 1),
                arguments(new IllegalStateException("listed nowhere"), 3),
                arguments(circular, 3),
                arguments(new RetryAfterException(Duration.ZERO, "asks for another", new IOException("429")), 3));
    }

    @ParameterizedTest
    @MethodSource("failures")
    void listedExceptionsAndThoseWithAListedCauseAreDeadAtOnce(Exception failure, int attempts) {
        Recorded handler = Recorded.failing((attempt) -> failure);
        outbox.handler("any", "*", handler).retry(POLICY).start();
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));

        assertThat(outbox.event(event)).becomesDead();
        assertThat(handler.attemptsOf(event)).isEqualTo(attempts);
        assertThat(outbox.event(event))
                .hasDelivery("any")
                .afterFailures(attempts)
                .withErrorCode(failure.getClass().getSimpleName());
    }

    @Test
    void uncountedAttemptsDoNotMakeADeadLetter() {
        Recorded handler = Recorded.failing((attempt) -> attempt.number() < 5
                ? RetryAfterException.uncounted(Duration.ZERO, "the broker is down", new IOException("refused"))
                : null);
        outbox.handler("any", "*", handler).retry(POLICY).start();
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));

        assertThat(outbox.event(event)).becomesPublished();
        assertThat(handler.attemptsOf(event)).isEqualTo(5);
    }
}
