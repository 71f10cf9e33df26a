package dev.outbox.sample.notification;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.DeadLetter;
import dev.outbox.EventEnvelope;
import dev.outbox.OutboxDeadLetter;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxHandler;
import dev.outbox.OutboxPublisher;
import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import dev.outbox.sample.events.BillingEvent.PaymentFailedFinal;
import dev.outbox.sample.events.Headers;
import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.AutoConfigureOutbox;
import dev.outbox.test.autoconfigure.TestDatabase;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.support.TransactionTemplate;

/** Messages that the messenger refuses for good. */
@SampleTest
@AutoConfigureOutbox(database = TestDatabase.CONFIGURED)
@Import(RecordingMessenger.class)
class DeadNotificationsTest {

    private final String guild = "guild-" + UUID.randomUUID();

    @Autowired
    private Api api;

    @Autowired
    private OutboxPublisher publisher;

    @Autowired
    private OutboxTester outbox;

    @Autowired
    private TransactionTemplate transaction;

    @Autowired
    private RecordingMessenger messenger;

    @Test
    void refusedMessageIsSentAfterAnOperatorsRetry() {
        messenger.refuse(guild);
        String event = publish(Map.of(Headers.GUILD_ID, guild));
        outbox.drain();
        assertThat(stored(event))
                .containsEntry("state", "failed")
                .containsEntry("recipient", guild)
                .containsEntry("failure", "NonRetryableException: no such recipient");

        messenger.acceptAgain(guild);
        api.operate("retry", "handler=notification.payment-failed-final&status=DEAD&event=" + event);

        outbox.drain();
        assertThat(stored(event)).containsEntry("state", "sent").containsEntry("failure", null);
    }

    @Test
    void eventWithoutRecipientLeavesAFailedMessage() {
        String event = publish(Map.of());

        outbox.drain();
        assertThat(stored(event))
                .containsEntry("state", "failed")
                .containsEntry("recipient", null)
                .containsEntry("message", null);
        assertThat(stored(event).get("failure").toString()).contains("names no recipient in its headers");
    }

    @Test
    void everyHandlerOfTheNotificationsIsCovered() throws NoSuchMethodException {
        Stream<Method> methods = Stream.of(
                        BillingNotifications.class,
                        LicensingNotifications.class,
                        RecoveryNotifications.class,
                        TradeNotifications.class)
                .flatMap((type) -> Stream.of(type.getDeclaredMethods()))
                .filter((method) -> method.isAnnotationPresent(OutboxHandler.class));

        assertThat(DeadNotifications.class
                        .getDeclaredMethod("gaveUp", DeadLetter.class)
                        .getAnnotation(OutboxDeadLetter.class)
                        .value())
                .containsExactlyInAnyOrder(methods.map((method) ->
                                method.getAnnotation(OutboxHandler.class).id())
                        .toArray(String[]::new));
    }

    private String publish(Map<String, String> headers) {
        UUID subscription = UUID.randomUUID();
        OutboxEvent event = OutboxEvent.of(
                        "subscription", subscription.toString(), new PaymentFailedFinal(subscription))
                .withHeader(EventEnvelope.TRACE_ID, api.traceId());
        for (Map.Entry<String, String> header : headers.entrySet()) {
            event = event.withHeader(header.getKey(), header.getValue());
        }
        OutboxEvent published = event;
        transaction.executeWithoutResult((status) -> publisher.publish(published));
        return api.events().get(0).get("eventId").toString();
    }

    private Map<String, Object> stored(String event) {
        List<Map<String, Object>> stored = api.get("/notifications", "$[?(@.eventId == '%s')]".formatted(event));
        return stored.isEmpty() ? Map.of() : stored.get(0);
    }
}
