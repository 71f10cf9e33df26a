package dev.outbox.internal.dispatch;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventEnvelope;
import dev.outbox.NonRetryableException;
import dev.outbox.RetryAfterException;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.DispatchSettings.RetryPolicies;
import dev.outbox.internal.dispatch.DispatchSettings.RetryPolicies.InStream;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ErrorClassificationTest {

    /** Three attempts, at once. */
    private static final RetryPolicy POLICY =
            new RetryPolicy(new Backoff.Delays(List.of(Duration.ZERO)), 3, 3, Set.of(IOException.class));

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create().poller(Duration.ofMillis(50), 50, Duration.ofMinutes(1));

    private EventEnvelope dead;

    @Test
    void anonymousExceptionHasACode() {
        assertThat(FailedAttempts.failure(new IllegalStateException("broken") {})
                        .code())
                .startsWith("ErrorClassificationTest$");
    }

    @Test
    void listedExceptionIsDeadAtOnce() {
        assertThat(attemptsUntilDead(new IOException("bad request"))).isOne();
        assertThat(outbox.event(dead))
                .hasDelivery("any")
                .isDead()
                .afterFailures(1)
                .withErrorCode("IOException")
                .withError("bad request");
    }

    @Test
    void exceptionWithAListedCauseIsDeadAtOnceUnderItsOwnName() {
        assertThat(attemptsUntilDead(new UncheckedIOException("wrapped", new IOException("bad request"))))
                .isOne();
        assertThat(outbox.event(dead))
                .hasDelivery("any")
                .withErrorCode("UncheckedIOException")
                .withError("wrapped");
    }

    @Test
    void subclassOfListedExceptionIsDeadAtOnce() {
        assertThat(attemptsUntilDead(new FileNotFoundException("gone"))).isOne();
    }

    @Test
    void causesThatGoRoundInACircleComeToAnEnd() {
        Exception one = new Exception();
        Exception other = new Exception(one);
        one.initCause(other);

        assertThat(attemptsUntilDead(one)).isEqualTo(3);
    }

    @Test
    void exceptionThatIsListedNowhereIsTriedAgain() {
        assertThat(attemptsUntilDead(new IllegalStateException("busy"))).isEqualTo(3);
    }

    @Test
    void exceptionThatAsksForAnotherAttemptGetsItWhateverItsCause() {
        assertThat(attemptsUntilDead(
                        new RetryAfterException(Duration.ZERO, "too many requests", new IOException("status 429"))))
                .isEqualTo(3);
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

    @Test
    void exceptionThatForbidsAnotherAttemptIsObeyedWhateverIsListed() {
        assertThat(attemptsUntilDead(new RetryPolicy(POLICY.backoff(), 3), new NonRetryableException("never")))
                .isOne();
    }

    @Test
    void databaseFailureIsRetriedWhateverIsListed() {
        RetryPolicy nothing = new RetryPolicy(POLICY.backoff(), 3, 3, Set.of(Exception.class));
        Recorded handler = Recorded.failing((attempt) ->
                attempt.number() < 5 ? new IllegalStateException(new SQLTransientConnectionException()) : null);
        outbox.handler("any", "*", handler).retry(nothing).start();
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));

        assertThat(outbox.event(event)).becomesPublished();
        assertThat(handler.attemptsOf(event)).isEqualTo(5);
    }

    @Test
    void handlersOfOneEventAreJudgedByTheirOwnPolicies() {
        Recorded strict = Recorded.failing((attempt) -> new IOException("down"));
        Recorded patient = Recorded.failing((attempt) -> attempt.number() < 3 ? new IOException("down") : null);
        outbox.handler("strict", "*", strict)
                .handler("patient", "*", patient)
                .retry(new RetryPolicies(new InStream(TestOutbox.AT_ONCE, Map.of("strict", POLICY)), Map.of()))
                .start();
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));

        assertThat(outbox.event(event)).becomesDead();
        assertThat(strict.attemptsOf(event)).isOne();
        assertThat(patient.attemptsOf(event)).isEqualTo(3);
        assertThat(outbox.event(event)).hasDelivery("strict").isDead();
        assertThat(outbox.deliveries()).isOne();
    }

    private int attemptsUntilDead(Exception exception) {
        return attemptsUntilDead(POLICY, exception);
    }

    private int attemptsUntilDead(RetryPolicy policy, Exception exception) {
        Recorded handler = Recorded.failing((attempt) -> exception);
        outbox.handler("any", "*", handler).retry(policy).start();
        dead = outbox.publish("1", new OrderPlaced(1));
        assertThat(outbox.event(dead)).becomesDead();
        return handler.attemptsOf(dead);
    }
}
