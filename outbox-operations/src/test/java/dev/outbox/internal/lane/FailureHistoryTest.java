package dev.outbox.internal.lane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.NonRetryableException;
import dev.outbox.RetryAfterException;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.RetryPolicy;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import dev.outbox.operations.Delivery.FailedAttempt;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.fixture.Operator;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Failed attempts of deliveries. */
class FailureHistoryTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void keepsTheFirstAndTheNineLatestFailures() {
        AtomicInteger attempts = new AtomicInteger();
        outbox.retry(new RetryPolicy(new Backoff.Delays(List.of(Duration.ZERO)), 14))
                .handler("mail", "*", (event) -> {
                    throw new IOException("failure " + attempts.incrementAndGet() + " " + "x".repeat(600));
                })
                .start();
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));

        await().until(() -> outbox.statusOf(event).equals("DEAD"));
        List<FailedAttempt> failures = failures(event);
        assertThat(failures).extracting(FailedAttempt::attempt).containsExactly(1, 6, 7, 8, 9, 10, 11, 12, 13, 14);
        assertThat(failures).allSatisfy((failure) -> {
            assertThat(failure.code()).isEqualTo("IOException");
            assertThat(failure.message())
                    .startsWith("failure " + failure.attempt() + " x")
                    .hasSize(500);
            assertThat(failure.at()).isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
        });
        assertThat(failures).isSortedAccordingTo((one, other) -> one.at().compareTo(other.at()));

        Operator.of(outbox).operations().retry(DeliverySelection.all().ofHandler("mail"), "ann", "mended");
        await().until(() -> attempts.get() > 14);
        assertThat(failures(event).get(0)).isEqualTo(failures.get(0));
    }

    @Test
    void failureHasWorkerDurationAndStackTrace() {
        outbox.retry(new RetryPolicy(new Backoff.Delays(List.of(Duration.ZERO)), 2))
                .handler("mail", "*", (event) -> {
                    throw new IllegalStateException("password=secret", new IOException("token=secret"));
                })
                .start();
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));

        await().until(() -> outbox.statusOf(event).equals("DEAD"));
        assertThat(failures(event)).hasSize(2).allSatisfy((failure) -> {
            assertThat(failure.worker()).isNotBlank();
            assertThat(failure.took()).isBetween(Duration.ZERO, Duration.ofMinutes(1));
            assertThat(failure.trace())
                    .startsWith("java.lang.IllegalStateException\n  at dev.outbox.internal.lane.FailureHistoryTest")
                    .contains("\nCaused by: java.io.IOException\n  at ")
                    .doesNotContain("secret")
                    .hasSizeLessThanOrEqualTo(800);
        });
    }

    @Test
    void retriedAttemptsSurviveSuccess() {
        AtomicBoolean down = new AtomicBoolean(true);
        outbox.retry(new RetryPolicy(new Backoff.Delays(List.of(Duration.ZERO)), 2))
                .handler("mail", "*", (event) -> {
                    if (down.get()) {
                        throw new IOException("down");
                    }
                })
                .handler("fine", "*", (event) -> {})
                .start();
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));
        await().until(() -> outbox.statusOf(event).equals("DEAD"));
        List<FailedAttempt> failures = failures(event);
        down.set(false);

        Operator.of(outbox).operations().retry(DeliverySelection.all().ofHandler("mail"), "ann", "mended");

        await().until(() -> outbox.statusOf(event).equals("PUBLISHED"));
        assertThat(failures).hasSize(2);
        assertThat(failures(event)).isEqualTo(failures);
    }

    @Test
    void skippedAttemptsSurvive() {
        outbox.handler("dead", "*", (event) -> {
                    throw new NonRetryableException("no address");
                })
                .handler("other", "*", (event) -> {
                    throw RetryAfterException.uncounted(Duration.ofHours(1), "down");
                })
                .start();
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));
        await().until(() -> outbox.deliveries() == 2);
        List<FailedAttempt> failures = failures(event);
        EventEnvelope behind = outbox.publish("1", new OrderPlaced(2));
        await().until(() -> outbox.deliveries() == 4);
        assertThat(failures(behind)).extracting(FailedAttempt::code).containsExactly("NonRetryableException");

        Operator.of(outbox).operations().skip(DeliverySelection.all().ofHandler("dead"), "ann", "unknown customer");
        assertThat(failures(event)).isEqualTo(failures);
        Operator.of(outbox).operations().skip(DeliverySelection.all().ofHandler("other"), "ann", "unknown customer");

        assertThat(outbox.statusOf(event)).isEqualTo("PUBLISHED");
        assertThat(failures)
                .extracting(FailedAttempt::code)
                .containsExactly("NonRetryableException", "RetryAfterException");
        assertThat(failures(event)).isEqualTo(failures);
    }

    @Test
    void replayContinuesTheHistory() throws SQLException {
        outbox.retry(new RetryPolicy(new Backoff.Delays(List.of(Duration.ofHours(1))), 1))
                .handler("mail", "*", (event) -> {
                    throw new IOException("down");
                })
                .handler("other", "*", (event) -> {
                    throw RetryAfterException.uncounted(Duration.ofHours(1), "down");
                })
                .start();
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));
        DeliverySelection mail = DeliverySelection.delivery(event.eventId(), "mail");
        await().until(() -> outbox.deliveries() == 2);
        Operator.of(outbox).operations().skip(mail, "ann", "obsolete");

        Operator.of(outbox).replays().start(ReplayRequest.of("mail").event(event.eventId()), "ann", "not obsolete");
        await().until(() -> failures(event).size() == 3);
        Operator.of(outbox).operations().skip(mail, "ann", "obsolete");

        assertThat(failures(event)).hasSize(3);
    }

    private List<FailedAttempt> failures(EventEnvelope event) {
        return Operator.of(outbox).inspector().findEvent(event.eventId()).stream()
                .flatMap((details) -> details.handlers().stream())
                .flatMap((handler) -> handler.failures().stream())
                .toList();
    }
}
