package dev.outbox.internal.dispatch;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RetryPolicyTest {

    private static final RandomGenerator RANDOM = new Random(1);

    @Test
    void defaultPolicyGivesUpAfterTenFailures() {
        RetryPolicy policy = RetryPolicy.defaults();

        assertThat(IntStream.rangeClosed(1, 7)
                        .mapToObj((failures) -> policy.next(failures, RANDOM).orElseThrow()))
                .containsExactly(
                        ofSeconds(1),
                        ofSeconds(10),
                        ofMinutes(1),
                        ofMinutes(5),
                        ofMinutes(15),
                        ofMinutes(60),
                        ofMinutes(60));
        assertThat(policy.next(9, RANDOM)).isPresent();
        assertThat(policy.next(10, RANDOM)).isEmpty();
        assertThat(policy.next(11, RANDOM)).isEmpty();
        assertThat(policy.maxCrashes()).isEqualTo(3);
    }

    @Test
    void exponentialDelaysGrowUpToTheLongest() {
        Backoff.Exponential backoff = new Backoff.Exponential(ofSeconds(1), ofSeconds(60));

        assertThat(IntStream.rangeClosed(1, 8).mapToObj(backoff::delayWithoutJitter))
                .containsExactly(
                        ofSeconds(1),
                        ofSeconds(2),
                        ofSeconds(4),
                        ofSeconds(8),
                        ofSeconds(16),
                        ofSeconds(32),
                        ofSeconds(60),
                        ofSeconds(60));
        assertThat(backoff.delayWithoutJitter(Integer.MAX_VALUE)).isEqualTo(ofSeconds(60));
    }

    @Test
    void jitterSpreadsDelayToBothSides() {
        Backoff backoff = new Backoff.Exponential(ofSeconds(10), ofSeconds(60));
        List<Duration> delays = IntStream.range(0, 1000)
                .mapToObj((i) -> backoff.delay(1, RANDOM))
                .toList();

        assertThat(delays)
                .allMatch((delay) -> delay.compareTo(ofMillis(8000)) >= 0 && delay.compareTo(ofMillis(12000)) <= 0);
        assertThat(delays).anyMatch((delay) -> delay.compareTo(ofMillis(8500)) < 0);
        assertThat(delays).anyMatch((delay) -> delay.compareTo(ofMillis(11500)) > 0);
    }

    @Test
    void refusesInvalidValues() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Backoff.Delays(List.of()))
                .withMessageContaining("delays");
        assertThatIllegalArgumentException().isThrownBy(() -> new Backoff.Delays(List.of(ofSeconds(-1))));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Backoff.Exponential(ofSeconds(1), ofSeconds(-1)))
                .withMessageContaining("maxDelay");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Backoff.Exponential(Duration.ofDays(400), ofSeconds(1)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RetryPolicy(new Backoff.Delays(List.of(ofSeconds(1))), 0))
                .withMessageContaining("maxAttempts");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RetryPolicy(new Backoff.Delays(List.of(ofSeconds(1))), 1, 0, Set.of()))
                .withMessageContaining("maxCrashes");
    }

    @Test
    @SuppressWarnings("unchecked") // as a class that was read by its name
    void refusesClassThatIsNoException() {
        Class<? extends Throwable> text = (Class<? extends Throwable>) (Class<?>) String.class;

        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RetryPolicy(new Backoff.Delays(List.of(ofSeconds(1))), 1, 3, Set.of(text)))
                .withMessage("nonRetryable must hold none but exceptions: java.lang.String");
    }
}
