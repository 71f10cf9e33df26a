package dev.outbox.spring.autoconfigure;

import static dev.outbox.spring.autoconfigure.ConfiguredSettings.ownOrInherited;

import dev.outbox.internal.dispatch.RetryPolicy;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff.Delays;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff.Exponential;
import dev.outbox.spring.autoconfigure.OutboxProperties.Retry;
import java.time.Duration;
import java.util.List;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Overrides the retry policy of the level above with the retry properties of one level. */
final class ConfiguredRetry {

    /** Supplies the keys of exponential backoff that are not set. */
    static final Exponential EXPONENTIAL = new Exponential(Duration.ofSeconds(1), Duration.ofMinutes(5));

    private ConfiguredRetry() {}

    static RetryPolicy of(String prefix, Retry retry, RetryPolicy above) {
        return PropertyRule.checkAll(prefix, () -> {
            Backoff backoff = backoff(prefix, retry, above.backoff());
            return new RetryPolicy(
                    backoff,
                    ownOrInherited(retry.maxAttempts(), above.maxAttempts()),
                    above.maxCrashes(),
                    ownOrInherited(retry.nonRetryable(), above.nonRetryable()));
        });
    }

    private static Backoff backoff(String prefix, Retry retry, Backoff above) {
        List<Duration> delays = retry.delays();
        if (delays != null && retry.isExponential()) {
            throw new InvalidConfigurationPropertyValueException(
                    prefix + ".delays",
                    delays,
                    "delays cannot be combined with initial-delay or max-delay; choose one kind of backoff");
        }
        if (delays != null) {
            return new Delays(delays);
        }
        return retry.isExponential() ? exponential(retry, above instanceof Exponential e ? e : EXPONENTIAL) : above;
    }

    private static Exponential exponential(Retry retry, Exponential above) {
        return new Exponential(
                ownOrInherited(retry.initialDelay(), above.initialDelay()),
                ownOrInherited(retry.maxDelay(), above.maxDelay()));
    }
}
