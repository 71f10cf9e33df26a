package dev.outbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.RetryAfterException;
import dev.outbox.fixture.LoggedLines;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A handler whose own database is away backs off along the delays, and logs it once a minute. */
class OutagesTest {

    private static final EventEnvelope EVENT = new EventEnvelope(
            1, new UUID(0, 1), "default", "order", "1", 1, "OrderPlaced", 1, "{}", Map.of(), Instant.EPOCH, false);
    private static final HandlerDefinition MAIL = HandlerDefinition.of("mail", Set.of("*"), (event) -> {});
    private static final HandlerDefinition PUSH = HandlerDefinition.of("push", Set.of("*"), (event) -> {});

    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1);
    private final FailedAttempts failures = new FailedAttempts(
            DispatchSettings.defaults(), new Random(), new FailureLog(nanos::get), FailureObserver.NONE);

    @RegisterExtension
    private final LoggedLines log = LoggedLines.of(FailureLog.class);

    @Test
    void delaysGrowAlongThePolicyWithoutAnEnd() {
        List<DeliveryOutcome> outcomes = IntStream.rangeClosed(1, 30)
                .mapToObj((attempt) -> failures.failed(MAIL, attempt(attempt, 0), outage()))
                .toList();

        assertThat(outcomes).extracting(DeliveryOutcome::kind).containsOnly(DeliveryOutcome.Kind.DEFERRED);
        assertThat(outcomes)
                .extracting((outcome) -> outcome.delay().toSeconds())
                .startsWith(1L, 10L, 60L, 300L, 900L, 3600L, 3600L)
                .endsWith(3600L);
    }

    @Test
    void eventsOfABatchThatFailTogetherBackOffToo() {
        assertThat(failures.failedTogether(MAIL, attempt(3, 0), outage()).delay())
                .isEqualTo(Duration.ofMinutes(1));
    }

    @Test
    void failuresThatCountDoNotLengthenAnOutage() {
        assertThat(failures.failed(MAIL, attempt(6, 5), outage()).delay()).isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void outagesDoNotLengthenTheDelayOfAFailure() {
        assertThat(failures.failed(MAIL, attempt(6, 0), new IllegalStateException("bad"))
                        .delay())
                .isEqualTo(Duration.ofSeconds(1));
    }

    @Test
    void handlerThatAsksForADelayGetsIt() {
        assertThat(failures.failed(MAIL, attempt(6, 0), RetryAfterException.uncounted(Duration.ofSeconds(7), "down"))
                        .delay())
                .isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void logNamesAnOutageOncePerHandlerAndMinute() {
        for (int i = 0; i < 10; i++) {
            failures.failed(MAIL, attempt(1, 0), outage());
            failures.failed(PUSH, attempt(1, 0), outage());
            nanos.addAndGet(Duration.ofSeconds(5).toNanos());
        }
        assertThat(log.events()).hasSize(2);

        nanos.addAndGet(Duration.ofSeconds(10).toNanos());
        failures.failed(MAIL, attempt(1, 0), outage());

        assertThat(log.messages().subList(2, 4))
                .satisfiesExactly(
                        (count) -> assertThat(count)
                                .isEqualTo("mail failed 9 more times with IllegalStateException within 60 s"),
                        (failure) -> assertThat(failure)
                                .startsWith("mail failed with OrderPlaced")
                                .endsWith("(attempt 1, not counted); next attempt in 1 s"));
    }

    @Test
    void outageWhoseTextHoldsASecretIsRecognized() {
        SQLException secret = new SQLTransientConnectionException("password=hunter2 is refused");
        failures.failed(MAIL, attempt(1, 0), new IllegalStateException(secret));

        assertThat(log.events()).singleElement().satisfies((line) -> {
            assertThat(line.getFormattedMessage()).contains("not counted");
            assertThat(line.getThrowableProxy().getCause().getMessage()).doesNotContain("hunter2");
        });
    }

    private static Exception outage() {
        return new IllegalStateException("no reports", new SQLTransientConnectionException("refused", "08001"));
    }

    private static Attempt attempt(int number, int failures) {
        return new Attempt(EVENT, null, number, failures, 0, null);
    }
}
