package dev.outbox.internal.processing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.RetryAfterException;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.DispatchSettings.RetryPolicies;
import dev.outbox.retry.Backoff;
import dev.outbox.retry.RetryPolicy;
import dev.outbox.testing.Guarantee;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;

class RetryTest {

    private final TestOutbox outbox = TestOutbox.create();

    @AfterEach
    void close() {
        outbox.close();
    }

    @Test
    void failingHandlerIsRetriedUntilItSucceeds() {
        Recorded handler =
                Recorded.failing((attempt) -> attempt.number() < 3 ? new IOException("try " + attempt.number()) : null);
        outbox.handler("mail", "*", handler).retry(TestOutbox.AT_ONCE).start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));

        awaitStatus(envelope, "PUBLISHED");
        assertThat(handler.attemptsOf(envelope)).isEqualTo(3);
        assertThat(outbox.count("events.outbox_delivery")).isZero();
        assertThat(row(envelope))
                .containsEntry("retry_count", 2)
                .containsEntry("attempt_count", 2)
                .containsEntry("last_error_code", "IOException")
                .containsEntry("last_error", "try 2");
    }

    @Test
    void failedEventWaitsForRetryWithItsError() {
        outbox.handler("mail", "*", Recorded.failing((attempt) -> new IOException("no route")))
                .start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));

        awaitStatus(envelope, "RETRYING");
        assertThat(delivery(envelope))
                .containsEntry("handler_id", "mail")
                .containsEntry("status", "DUE")
                .containsEntry("head", true)
                .containsEntry("attempt_count", 1)
                .containsEntry("retry_count", 1)
                .containsEntry("last_error_code", "IOException")
                .containsEntry("last_error", "no route");
        assertThat(outbox.sql()
                        .sql(
                                "SELECT round(extract(epoch FROM next_retry_at - last_attempt_at)) FROM events.outbox_delivery")
                        .query(Integer.class)
                        .single())
                .isEqualTo(60);
        assertThat(row(envelope).get("next_retry_at")).isNotNull();
    }

    @Test
    @Guarantee(value = "G8", sentence = "An event that never succeeds ends dead and visible.")
    void eventThatNeverSucceedsEndsDead() {
        Recorded handler = Recorded.failing((attempt) -> new IOException("down"));
        outbox.handler("mail", "*", handler).retry(TestOutbox.AT_ONCE).start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));

        awaitStatus(envelope, "DEAD");
        assertThat(handler.attemptsOf(envelope)).isEqualTo(3);
        assertThat(delivery(envelope))
                .containsEntry("status", "DEAD")
                .containsEntry("head", false)
                .containsEntry("retry_count", 3);
        assertThat(row(envelope)).containsEntry("retry_count", 3).containsEntry("next_retry_at", null);
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
        List<EventEnvelope> sick = publish("sick", 5);
        List<EventEnvelope> well = publish("well", 5);
        outbox.start();
        await().until(() -> outbox.count("events.outbox_published") == 5);
        sick = List.of(
                sick.get(0),
                sick.get(1),
                sick.get(2),
                sick.get(3),
                sick.get(4),
                outbox.publish("sick", new OrderPlaced(6)));

        List<EventEnvelope> all = sick;
        await().untilAsserted(() ->
                assertThat(all).allMatch((one) -> outbox.statusOf(one).equals("RETRYING")));
        assertThat(well).allMatch((one) -> outbox.statusOf(one).equals("PUBLISHED"));
        assertThat(audit.sequences()).containsEntry("sick", List.of(1L, 2L, 3L, 4L, 5L, 6L));
        assertThat(mail.attemptsOf(sick.get(0))).isEqualTo(1);
        assertThat(sick.subList(1, 6)).allMatch((one) -> mail.attemptsOf(one) == 0);
        assertThat(outbox.sql()
                        .sql("SELECT status FROM events.outbox_delivery ORDER BY aggregate_seq")
                        .query(String.class)
                        .list())
                .containsExactly("DUE", "WAITING", "WAITING", "WAITING", "WAITING", "WAITING");

        mailIsDown.set(false);
        outbox.sql()
                .sql("UPDATE events.outbox_delivery SET next_retry_at = now() WHERE head")
                .update();
        await().untilAsserted(() ->
                assertThat(all).allMatch((one) -> outbox.statusOf(one).equals("PUBLISHED")));
        assertThat(mail.sequences()).containsEntry("sick", List.of(1L, 2L, 3L, 4L, 5L, 6L));
        assertThat(outbox.count("events.outbox_delivery")).isZero();
    }

    @Test
    @Guarantee(value = "G4", sentence = "A handler that fails for an hour delays no other handler of the same events.")
    void longFailureDelaysNoOtherHandler() {
        AtomicBoolean down = new AtomicBoolean(true);
        Recorded mail = Recorded.failing((attempt) -> down.get() ? new IOException("down") : null);
        Recorded audit = Recorded.all();
        RetryPolicy everyMinute = new RetryPolicy(new Backoff.Delays(List.of(Duration.ofMinutes(1))), 1000);
        outbox.handler("mail", "*", mail).handler("audit", "*", audit).retry(everyMinute);
        outbox.start();
        for (int minute = 1; minute <= 60; minute++) {
            int handled = minute;
            EventEnvelope event = outbox.publish("1", new OrderPlaced(minute));
            await().until(() ->
                    audit.handled().size() == handled && outbox.statusOf(event).equals("RETRYING"));
            outbox.sql()
                    .sql("UPDATE events.outbox_delivery SET next_retry_at = now() WHERE head AND aggregate_id = '1'")
                    .update();
        }
        assertThat(audit.sequences())
                .containsEntry("1", LongStream.rangeClosed(1, 60).boxed().toList());
        assertThat(mail.handled()).isEmpty();
        down.set(false);
        outbox.sql()
                .sql("UPDATE events.outbox_delivery SET next_retry_at = now() WHERE head")
                .update();
        await().until(() -> outbox.count("events.outbox_published") == 60);
        assertThat(mail.sequences())
                .containsEntry("1", LongStream.rangeClosed(1, 60).boxed().toList());
    }

    @Test
    void retryDoesNotWaitForTheNextPoll() {
        Recorded mail = Recorded.failing((attempt) -> attempt.number() < 3 ? new IOException("again") : null);
        outbox.handler("mail", "*", mail)
                .retry(new RetryPolicy(new Backoff.Delays(List.of(Duration.ofMillis(20))), 10))
                .poller(Duration.ofHours(1), 50, Duration.ofMinutes(1))
                .start();
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));

        await().until(() -> outbox.statusOf(event).equals("PUBLISHED"));
        assertThat(mail.attemptsOf(event)).isEqualTo(3);
    }

    @Test
    void deadEventLetsTheNextOfItsLaneComeUp() {
        Recorded mail =
                Recorded.failing((attempt) -> attempt.envelope().aggregateSeq() == 1 ? new IOException("down") : null);
        outbox.handler("mail", "*", mail).retry(TestOutbox.AT_ONCE);
        List<EventEnvelope> events = publish("1", 3);
        outbox.start();

        awaitStatus(events.get(2), "PUBLISHED");
        assertThat(outbox.statusOf(events.get(0))).isEqualTo("DEAD");
        assertThat(mail.sequences()).containsEntry("1", List.of(2L, 3L));
    }

    @Test
    void nonRetryableFailureIsDeadAtOnce() {
        Recorded handler = Recorded.failing((attempt) -> new NonRetryableException("no such customer"));
        outbox.handler("mail", "*", handler).retry(TestOutbox.AT_ONCE).start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));

        awaitStatus(envelope, "DEAD");
        assertThat(handler.attemptsOf(envelope)).isEqualTo(1);
        assertThat(delivery(envelope)).containsEntry("last_error", "no such customer");
    }

    @Test
    void handlerMayChooseTheDelay() {
        outbox.handler(
                        "mail",
                        "*",
                        Recorded.failing((attempt) -> new RetryAfterException(Duration.ofMinutes(7), "busy")))
                .start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));

        awaitStatus(envelope, "RETRYING");
        assertThat(outbox.sql()
                        .sql(
                                "SELECT round(extract(epoch FROM next_retry_at - last_attempt_at)) FROM events.outbox_delivery")
                        .query(Integer.class)
                        .single())
                .isEqualTo(7 * 60);
    }

    @Test
    void undecodablePayloadIsDeadForItsHandlerOnlyAndTheRawPayloadIsKept() {
        Recorded audit = Recorded.all();
        List<Integer> placed = new CopyOnWriteArrayList<>();
        outbox.handler(HandlerDefinition.of(
                        "place", OrderPlaced.class, (event, envelope) -> placed.add(event.number())))
                .handler("audit", "*", audit)
                .retry(TestOutbox.AT_ONCE)
                .start();
        EventEnvelope broken = outbox.inTransaction(() -> outbox.publisher()
                .publish(dev.outbox.OutboxEvent.of("order", "1", Map.of("number", "secret"))
                        .withEventType("OrderPlaced")));
        EventEnvelope fine = outbox.publish("1", new OrderPlaced(2));

        awaitStatus(broken, "DEAD");
        awaitStatus(fine, "PUBLISHED");
        assertThat(placed).containsExactly(2);
        assertThat(audit.handled()).hasSize(2);
        assertThat(delivery(broken))
                .containsEntry("last_error_code", "UNDECODABLE_PAYLOAD")
                .containsEntry("retry_count", 1);
        assertThat(String.valueOf(delivery(broken).get("last_error")))
                .doesNotContain("secret")
                .contains("number");
        assertThat(row(broken).get("payload").toString()).isEqualTo("{\"number\": \"secret\"}");
    }

    @Test
    void errorsOfAnyKindAreSurvived() {
        Recorded handler =
                Recorded.failing((attempt) -> switch (attempt.envelope().aggregateId()) {
                    case "error" -> sneak(new StackOverflowError());
                    case "unstorable" -> new IOException("\0 and \uD800");
                    case "long" -> new IOException("x".repeat(100_000));
                    case "messageless" -> new IOException();
                    case "broken" -> new BrokenException();
                    default -> null;
                });
        outbox.handler("mail", "*", handler).retry(TestOutbox.AT_ONCE);
        List<EventEnvelope> events = IntStream.range(0, 5)
                .mapToObj((i) -> outbox.publish(
                        List.of("error", "unstorable", "long", "messageless", "broken")
                                .get(i),
                        new OrderPlaced(i)))
                .toList();
        outbox.start();

        events.forEach((event) -> awaitStatus(event, "DEAD"));
        assertThat(delivery(events.get(0))).containsEntry("last_error_code", "StackOverflowError");
        assertThat(delivery(events.get(1))).containsEntry("last_error", "\uFFFD and \uFFFD");
        assertThat(delivery(events.get(2)).get("last_error").toString()).hasSize(2000);
        assertThat(delivery(events.get(3))).containsEntry("last_error", "null");
    }

    private static final class BrokenException extends Exception {
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("broken too");
        }

        @Override
        public synchronized Throwable getCause() {
            throw new IllegalStateException("broken as well");
        }
    }

    private static Exception sneak(Error error) {
        throw error;
    }

    @Test
    void policyOfTheHandlerGoesBeforeThatOfTheStream() {
        RetryPolicy once = new RetryPolicy(new Backoff.Delays(List.of(Duration.ZERO)), 1);
        Recorded strict = Recorded.failing((attempt) -> new IOException("down"));
        Recorded patient = Recorded.failing((attempt) -> new IOException("down"));
        outbox.handler("strict", "*", strict)
                .handler("patient", "*", patient)
                .retry(new RetryPolicies(
                        RetryPolicy.defaults(), Map.of("default", TestOutbox.AT_ONCE), Map.of("strict", once)))
                .start();
        EventEnvelope envelope = outbox.publish("1", new OrderPlaced(1));

        awaitStatus(envelope, "DEAD");
        assertThat(strict.attemptsOf(envelope)).isEqualTo(1);
        assertThat(patient.attemptsOf(envelope)).isEqualTo(3);
    }

    @Test
    void logContextNamesTheDelivery() {
        List<Map<String, String>> contexts = new CopyOnWriteArrayList<>();
        outbox.handler("mail", "*", (envelope) -> {
                    contexts.add(MDC.getCopyOfContextMap());
                    if (contexts.size() == 1) {
                        throw new IOException("again");
                    }
                })
                .retry(TestOutbox.AT_ONCE)
                .start();
        MDC.put("traceId", "trace-1");
        EventEnvelope envelope = outbox.publish("42", new OrderPlaced(1));
        MDC.remove("traceId");

        awaitStatus(envelope, "PUBLISHED");
        assertThat(contexts.get(0))
                .containsEntry("traceId", "trace-1")
                .containsEntry("eventId", envelope.eventId().toString())
                .containsEntry("stream", "default")
                .containsEntry("eventType", "OrderPlaced")
                .containsEntry("aggregateType", "order")
                .containsEntry("aggregateId", "42")
                .containsEntry("handlerId", "mail")
                .containsEntry("attempt", "1");
        assertThat(contexts.get(1)).containsEntry("attempt", "2");
    }

    @Test
    @Guarantee(value = "G3", sentence = "Order holds through retries.")
    void manyPoisonedLanesDrainInOrder() {
        Recorded mail = Recorded.failing((attempt) ->
                attempt.number() < 3 && attempt.envelope().aggregateSeq() % 3 == 0 ? new IOException("flaky") : null);
        outbox.handler("mail", "*", mail).retry(TestOutbox.AT_ONCE).start();
        for (int i = 0; i < 20; i++) {
            publish("a" + i, 10);
        }

        await().until(() -> outbox.count("events.outbox_published") == 200);
        assertThat(mail.sequences().values())
                .hasSize(20)
                .allMatch((sequences) -> sequences.equals(List.of(1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 10L)));
        assertThat(outbox.count("events.outbox_delivery")).isZero();
    }

    private List<EventEnvelope> publish(String aggregateId, int count) {
        return IntStream.rangeClosed(1, count)
                .mapToObj((number) -> outbox.publish(aggregateId, new OrderPlaced(number)))
                .toList();
    }

    private void awaitStatus(EventEnvelope envelope, String status) {
        await().untilAsserted(() -> assertThat(outbox.statusOf(envelope)).isEqualTo(status));
    }

    private Map<String, Object> row(EventEnvelope envelope) {
        return outbox.sql()
                .sql("SELECT * FROM events.outbox WHERE id = ?")
                .param(envelope.id())
                .query()
                .singleRow();
    }

    private Map<String, Object> delivery(EventEnvelope envelope) {
        return outbox.sql()
                .sql("SELECT * FROM events.outbox_delivery WHERE outbox_id = ?")
                .param(envelope.id())
                .query()
                .singleRow();
    }
}
