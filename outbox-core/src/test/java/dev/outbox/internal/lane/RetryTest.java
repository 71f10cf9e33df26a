package dev.outbox.internal.lane;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.RetryAfterException;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.DispatchSettings.RetryPolicies;
import dev.outbox.internal.dispatch.DispatchSettings.RetryPolicies.InStream;
import dev.outbox.internal.dispatch.RetryPolicy;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import dev.outbox.testing.Guarantee;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RetryTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @Test
    void failingHandlerIsRetriedUntilItSucceeds() {
        Recorded handler =
                Recorded.failing((attempt) -> attempt.number() < 3 ? new IOException("try " + attempt.number()) : null);
        outbox.handler("mail", "*", handler).retry(TestOutbox.AT_ONCE).start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));

        assertThat(outbox.event(envelope)).becomesPublished().afterFailures(2).withError("IOException", "try 2");
        assertThat(handler.attemptsOf(envelope)).isEqualTo(3);
        assertThat(outbox.deliveries()).isZero();
    }

    @Test
    void failedEventWaitsForRetryWithItsError() {
        outbox.handler("mail", "*", Recorded.failing((attempt) -> new IOException("no route")))
                .start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));

        assertThat(outbox.event(envelope))
                .becomesRetrying()
                .isScheduled()
                .hasDelivery("mail")
                .isOpen()
                .isFirst()
                .afterAttempts(1)
                .afterFailures(1)
                .withErrorCode("IOException")
                .withError("no route")
                .isRetriedAfter(Duration.ofMinutes(1));
    }

    @Test
    @Guarantee(value = "G8", sentence = "An event that never succeeds ends dead and visible.")
    void eventThatNeverSucceedsEndsDead() {
        Recorded handler = Recorded.failing((attempt) -> new IOException("down"));
        outbox.handler("mail", "*", handler).retry(TestOutbox.AT_ONCE).start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));

        assertThat(outbox.event(envelope))
                .becomesDead()
                .afterFailures(3)
                .isNotScheduled()
                .hasDelivery("mail")
                .isDead()
                .isNotFirst()
                .afterFailures(3);
        assertThat(handler.attemptsOf(envelope)).isEqualTo(3);
    }

    @Test
    @Guarantee(value = "G4", sentence = "A failing handler delays only its own later events of the same aggregate.")
    void failingHandlerDelaysItsOwnLaneOnly() {
        AtomicBoolean mailIsDown = new AtomicBoolean(true);
        Recorded mail = Recorded.failing((attempt) ->
                attempt.envelope().aggregateId().equals("sick") && mailIsDown.get() ? new IOException("down") : null);
        Recorded audit = Recorded.all();
        RetryPolicy later = new RetryPolicy(new Backoff.Delays(List.of(Duration.ofHours(1))), 10);
        outbox.handler("mail", "*", mail).handler("audit", "*", audit).retry(later);
        // One batch holds several events of the sick aggregate, and a later one holds more.
        List<EventEnvelope> sick = outbox.publishOrders("sick", 5);
        List<EventEnvelope> well = outbox.publishOrders("well", 5);
        outbox.start();
        outbox.awaitPublished(5);
        sick = List.of(
                sick.get(0),
                sick.get(1),
                sick.get(2),
                sick.get(3),
                sick.get(4),
                outbox.publish("sick", new OrderPlaced(6)));

        List<EventEnvelope> all = sick;
        await().untilAsserted(() -> assertThat(all)
                .allSatisfy((one) -> assertThat(outbox.event(one)).isRetrying()));
        assertThat(well).allSatisfy((one) -> assertThat(outbox.event(one)).isPublished());
        assertThat(audit.sequences()).containsEntry("sick", List.of(1L, 2L, 3L, 4L, 5L, 6L));
        assertThat(mail.attemptsOf(sick.get(0))).isEqualTo(1);
        assertThat(sick.subList(1, 6)).allMatch((one) -> mail.attemptsOf(one) == 0);
        assertThat(outbox.lane()).hasSize(6).allMatch((delivery) -> delivery.contains(" OPEN "));

        mailIsDown.set(false);
        new Lanes(outbox).due();
        await().untilAsserted(() -> assertThat(all)
                .allSatisfy((one) -> assertThat(outbox.event(one)).isPublished()));
        assertThat(mail.sequences()).containsEntry("sick", List.of(1L, 2L, 3L, 4L, 5L, 6L));
        assertThat(outbox.deliveries()).isZero();
    }

    @Test
    void retryDoesNotWaitForTheNextPoll() {
        Recorded mail = Recorded.failing((attempt) -> attempt.number() < 3 ? new IOException("again") : null);
        outbox.handler("mail", "*", mail)
                .retry(new RetryPolicy(new Backoff.Delays(List.of(Duration.ofMillis(20))), 10))
                .poller(Duration.ofHours(1), 50, Duration.ofMinutes(1))
                .start();
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));

        assertThat(outbox.event(event)).becomesPublished();
        assertThat(mail.attemptsOf(event)).isEqualTo(3);
    }

    @Test
    void handlerMayChooseTheDelay() {
        outbox.handler(
                        "mail",
                        "*",
                        Recorded.failing((attempt) -> new RetryAfterException(Duration.ofMinutes(7), "busy")))
                .start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));

        assertThat(outbox.event(envelope)).becomesRetrying().hasDelivery("mail").isRetriedAfter(Duration.ofMinutes(7));
    }

    @Test
    void policyOfTheHandlerGoesBeforeThatOfTheStream() {
        RetryPolicy once = new RetryPolicy(new Backoff.Delays(List.of(Duration.ZERO)), 1);
        Recorded strict = Recorded.failing((attempt) -> new IOException("down"));
        Recorded patient = Recorded.failing((attempt) -> new IOException("down"));
        outbox.handler("strict", "*", strict)
                .handler("patient", "*", patient)
                .retry(new RetryPolicies(
                        new InStream(RetryPolicy.defaults(), Map.of()),
                        Map.of("default", new InStream(TestOutbox.AT_ONCE, Map.of("strict", once)))))
                .start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));

        assertThat(outbox.event(envelope)).becomesDead();
        assertThat(strict.attemptsOf(envelope)).isEqualTo(1);
        assertThat(patient.attemptsOf(envelope)).isEqualTo(3);
    }

    @Test
    @Guarantee(value = "G3", sentence = "Order holds through retries.")
    void manyPoisonedLanesDrainInOrder() {
        Recorded mail = Recorded.failing((attempt) ->
                attempt.number() < 3 && attempt.envelope().sequence() % 3 == 0 ? new IOException("flaky") : null);
        outbox.handler("mail", "*", mail).retry(TestOutbox.AT_ONCE).start();
        for (int i = 0; i < 20; i++) {
            outbox.publishOrders("a" + i, 10);
        }

        outbox.awaitPublished(200);
        assertThat(mail.sequences().values())
                .hasSize(20)
                .allMatch((sequences) -> sequences.equals(List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L)));
        assertThat(outbox.deliveries()).isZero();
    }
}
