package dev.outbox.spring.autoconfigure;

import static dev.outbox.spring.autoconfigure.OutboxPropertiesTest.settings;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.OutboxHandler;
import dev.outbox.internal.dispatch.RetryPolicy;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff.Exponential;
import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.spring.autoconfigure.Subscriptions.SubscriptionStarted;
import dev.outbox.testing.TestDatabase;
import java.io.IOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Properties of retries, by handler, stream and default. */
class RetryPropertiesTest {

    @Test
    void anyExponentialKeySelectsExponentialGrowth() {
        assertThat(retry("outbox.retry.initial-delay=2s"))
                .isEqualTo(new RetryPolicy(new Exponential(seconds(2), Duration.ofMinutes(5)), 10));
        assertThat(retry("outbox.retry.max-delay=1m"))
                .isEqualTo(new RetryPolicy(new Exponential(seconds(1), seconds(60)), 10));
    }

    @Test
    void handlerOverridesItsStreamWhichOverridesTheDefault() {
        RuntimeSettings settings = settings(
                "outbox.retry.max-attempts=4",
                "outbox.streams.mail.retry.initial-delay=2s",
                "outbox.streams.mail.retry.max-attempts=5",
                "outbox.handlers.push.retry.max-delay=30s",
                "outbox.handlers.log.retry.max-attempts=6");

        assertThat(settings.dispatch().retry().of("mail", "push"))
                .isEqualTo(new RetryPolicy(new Exponential(seconds(2), seconds(30)), 5));
        assertThat(settings.dispatch().retry().of("default", "push"))
                .isEqualTo(new RetryPolicy(new Exponential(seconds(1), seconds(30)), 4));
        assertThat(settings.dispatch().retry().of("mail", "log"))
                .isEqualTo(new RetryPolicy(new Exponential(seconds(2), Duration.ofMinutes(5)), 6));
        assertThat(settings.dispatch().retry().of("mail", "any").maxAttempts()).isEqualTo(5);
    }

    @Test
    void listOfExceptionsReplacesThatOfTheLevelAbove() {
        RuntimeSettings settings = settings(
                "outbox.retry.non-retryable=java.io.IOException, java.lang.IllegalArgumentException",
                "outbox.handlers.push.retry.non-retryable=java.net.SocketException",
                "outbox.handlers.log.retry.non-retryable=");

        assertThat(settings.dispatch().retry().of("default", "any").nonRetryable())
                .isEqualTo(Set.of(IOException.class, IllegalArgumentException.class));
        assertThat(settings.dispatch().retry().of("default", "push").nonRetryable())
                .isEqualTo(Set.of(SocketException.class));
        assertThat(settings.dispatch().retry().of("default", "log").nonRetryable())
                .isEmpty();
    }

    @Test
    void exceptionInsideAnotherClassIsNamedWithADotOrADollar() {
        for (String name : List.of(Nested.class.getName(), Nested.class.getCanonicalName())) {
            assertThat(retry("outbox.retry.non-retryable=" + name).nonRetryable())
                    .containsExactly(Nested.class);
        }
    }

    @ParameterizedTest
    @CsvSource({"0s, at once", "300ms, in 300 ms"})
    @ExtendWith(OutputCaptureExtension.class)
    void delaysBelowOneSecondAreNotRoundedToZero(String delay, String next, CapturedOutput output) {
        try (TestDatabase database = Applications.database()) {
            Applications.on(database)
                    .withBean(Subscriptions.class)
                    .withBean(Failing.class)
                    .withPropertyValues("outbox.retry.delays=" + delay, "outbox.retry.max-attempts=2")
                    .run((context) -> {
                        context.getBean(Subscriptions.class).start("1", "gold");
                        await().untilAsserted(() -> assertThat(output).contains("(attempt 1); next attempt " + next));
                    });
        }
    }

    static class Failing {

        @OutboxHandler(id = "failing")
        void handle(SubscriptionStarted event) {
            throw new IllegalStateException("on purpose");
        }
    }

    static final class Nested extends RuntimeException {

        private static final long serialVersionUID = 1L;
    }

    private static Duration seconds(long seconds) {
        return Duration.ofSeconds(seconds);
    }

    private static RetryPolicy retry(String... properties) {
        return settings(properties).dispatch().retry().defaults().policy();
    }
}
