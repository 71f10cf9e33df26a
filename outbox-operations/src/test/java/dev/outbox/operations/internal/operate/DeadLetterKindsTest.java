package dev.outbox.operations.internal.operate;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.outbox.DeadLetter;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.HandlerDefinition.PayloadHandler;
import dev.outbox.NonRetryableException;
import dev.outbox.OutboxEvent;
import dev.outbox.RetryAfterException;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.absence.HandlerExpiry;
import dev.outbox.internal.dispatch.DispatchSettings.HandlerSettings;
import dev.outbox.internal.dispatch.RetryPolicy;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.testing.Guarantee;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Reasons of dead letters that dead-letter methods receive. */
class DeadLetterKindsTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final List<DeadLetter> letters = new CopyOnWriteArrayList<>();

    @Test
    @Guarantee(value = "G8", sentence = "A dead-letter method receives dead letters of every kind.")
    void receivesDeadLettersOfEveryKind() throws SQLException {
        // A former version of the handler took other events.
        new Lanes(outbox).registered("narrowed", "{}", "OrderShipped");
        CountDownLatch never = new CountDownLatch(1);
        outbox.settings("slow", new HandlerSettings(Duration.ofMillis(10), null, null))
                .retry(new RetryPolicy(new Backoff.Delays(List.of(Duration.ZERO)), 2))
                .handler(handler("refusing", (event, envelope) -> {
                    throw new NonRetryableException("no such address");
                }))
                .handler(handler("slow", (event, envelope) -> never.await()))
                .handler(HandlerDefinition.of(
                                "decoding", Set.of("Malformed"), OrderPlaced.class, (event, envelope) -> {})
                        .onDeadLetter(this::record))
                .handler(HandlerDefinition.of("crashing", OrderPaid.class, (event, envelope) -> {
                            throw new RetryAfterException(Duration.ofHours(1), "later");
                        })
                        .onDeadLetter(this::record))
                .handler(HandlerDefinition.of("narrowed", Set.of("OrderReturned"), (envelope) -> {})
                        .onDeadLetter(this::record))
                .start();
        outbox.publish("1", new OrderPlaced(1));
        outbox.publish(OutboxEvent.of("order", "2", Map.of("number", "one")).withEventType("Malformed"));
        EventEnvelope crashing = outbox.publish("3", new OrderPaid(1));
        assertThat(outbox.event(crashing)).becomesRetrying();
        outbox.sql()
                .sql("UPDATE events.outbox_delivery SET next_retry_at = now() WHERE handler_id = 'crashing'")
                .update();
        outbox.sql()
                .sql("UPDATE events.outbox_lane SET crash_count = 99, due_at = now() WHERE handler_id = 'crashing'")
                .update();

        EventEnvelope dropped =
                outbox.publish(OutboxEvent.of("order", "4", new OrderPaid(1)).withEventType("OrderShipped"));
        assertThat(outbox.event(dropped)).becomesRetrying();
        outbox.sql()
                .sql("UPDATE events.outbox_subscription SET last_seen_at = now() - interval '8 days'"
                        + " WHERE event_type = 'OrderShipped'")
                .update();
        new HandlerExpiry(outbox.dataSource(), OutboxSchema.DEFAULT).runOnce();

        await().untilAsserted(() -> assertThat(letters)
                .extracting(DeadLetter::handlerId, DeadLetter::errorCode)
                .containsExactlyInAnyOrder(
                        tuple("refusing", "NonRetryableException"),
                        tuple("slow", "HANDLER_TIMEOUT"),
                        tuple("decoding", "UNDECODABLE_PAYLOAD"),
                        tuple("crashing", "CRASH_LOOP"),
                        tuple("narrowed", "NOT_SELECTED")));
    }

    private HandlerDefinition handler(String id, PayloadHandler<OrderPlaced> code) {
        return HandlerDefinition.of(id, OrderPlaced.class, code).onDeadLetter(this::record);
    }

    private void record(DeadLetter letter) {
        letters.add(letter);
    }
}
