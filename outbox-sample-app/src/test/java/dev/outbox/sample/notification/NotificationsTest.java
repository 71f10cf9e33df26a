package dev.outbox.sample.notification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.outbox.DeadLetter;
import dev.outbox.EventEnvelope;
import dev.outbox.OutboxDeadLetter;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxHandler;
import dev.outbox.OutboxPublisher;
import dev.outbox.sample.Api;
import dev.outbox.sample.Envelopes;
import dev.outbox.sample.SampleTest;
import dev.outbox.sample.events.BillingEvent.PaymentFailedFinal;
import dev.outbox.sample.events.BillingEvent.SubscriptionStarted;
import dev.outbox.sample.events.Headers;
import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.AutoConfigureOutbox;
import dev.outbox.test.autoconfigure.TestDatabase;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.support.TransactionTemplate;

/** Messages that are sent once, and those that the messenger refuses for good. */
@SampleTest
@AutoConfigureOutbox(database = TestDatabase.CONFIGURED)
@Import(RecordingMessenger.class)
class NotificationsTest {

    private final String guild = "guild-" + UUID.randomUUID();
    private final EventEnvelope event = envelope(Map.of(Headers.GUILD_ID, guild));

    @Autowired
    private Api api;

    @Autowired
    private BillingNotifications billing;

    @Autowired
    private MeterRegistry meters;

    @Autowired
    private NotificationLog messages;

    @Autowired
    private RecordingMessenger messenger;

    @Autowired
    private OutboxPublisher publisher;

    @Autowired
    private OutboxTester outbox;

    @Autowired
    private TransactionTemplate transaction;

    @Test
    void redeliveredEventIsAnnouncedOnce() {
        announce("pro");
        double duplicates = duplicates();

        announce("pro");

        assertThat(duplicates()).isEqualTo(duplicates + 1);
        assertThat(messenger.callsFor(guild)).hasSize(1);
        assertThat(stored()).singleElement().satisfies((notification) -> {
            assertThat(notification.message()).isEqualTo("pro activated");
            assertThat(notification.state()).isEqualTo("sent");
            assertThat(notification.sentAt()).isAfterOrEqualTo(notification.requestedAt());
        });
    }

    @Test
    void repeatsTheSameMessageUnderTheSameKeyAfterALostAnswer() {
        messenger.loseAnswers(1);
        assertThatIllegalStateException().isThrownBy(() -> announce("pro"));
        assertThat(stored()).extracting(Notification::state).containsExactly("requested");

        announce("enterprise");

        assertThat(messenger.callsFor(guild))
                .hasSize(2)
                .allSatisfy((call) -> assertThat(call.key()).isEqualTo(event.eventId()))
                .extracting(RecordingMessenger.Call::message)
                .containsOnly("pro activated");
        assertThat(stored()).extracting(Notification::state).containsExactly("sent");
    }

    @Test
    void callsTheMessengerOutsideAnyTransaction() {
        api.subscribe(guild, "pro");
        outbox.drain();

        assertThat(messenger.callsFor("user-of-" + guild)).isNotEmpty().allSatisfy((call) -> {
            assertThat(call.inTransaction()).isFalse();
            assertThat(call.holdsConnection()).isFalse();
        });
    }

    @Test
    void refusesToSendInsideATransaction() {
        assertThatIllegalStateException()
                .isThrownBy(() -> transaction.executeWithoutResult((status) -> announce("pro")))
                .withMessageContaining("must be sent outside a transaction");
        assertThat(messenger.callsFor(guild)).isEmpty();
    }

    @Test
    void refusedMessageIsSentAfterAnOperatorsRetry() {
        messenger.refuse(guild);
        String failed = publish(finalFailure().withHeader(Headers.GUILD_ID, guild));
        outbox.drain();
        assertThat(storedOf(failed))
                .containsEntry("state", "failed")
                .containsEntry("recipient", guild)
                .containsEntry("failure", "NonRetryableException: no such recipient");

        messenger.acceptAgain(guild);
        api.operate("retry", "handler=notification.payment-failed-final&status=DEAD&event=" + failed);

        outbox.drain();
        assertThat(storedOf(failed)).containsEntry("state", "sent").containsEntry("failure", null);
    }

    @Test
    void eventWithoutRecipientLeavesAFailedMessage() {
        String failed = publish(finalFailure());

        outbox.drain();
        assertThat(storedOf(failed))
                .containsEntry("state", "failed")
                .containsEntry("recipient", null)
                .containsEntry("message", null);
        assertThat(storedOf(failed).get("failure").toString()).contains("names no recipient in its headers");
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

    private double duplicates() {
        return meters.counter("sample.duplicates", "handler", "notification").count();
    }

    private void announce(String planCode) {
        billing.subscriptionStarted(new SubscriptionStarted(UUID.randomUUID(), guild, planCode), event);
    }

    private static EventEnvelope envelope(Map<String, String> headers) {
        return Envelopes.of("subscription", UUID.randomUUID().toString(), 1, "SubscriptionStarted", "{}", headers);
    }

    private List<Notification> stored() {
        return messages.latest().stream()
                .filter((notification) -> notification.eventId().equals(event.eventId()))
                .toList();
    }

    private OutboxEvent finalFailure() {
        UUID subscription = UUID.randomUUID();
        return OutboxEvent.of("subscription", subscription.toString(), new PaymentFailedFinal(subscription))
                .withHeader(EventEnvelope.TRACE_ID, api.traceId());
    }

    private String publish(OutboxEvent failure) {
        transaction.executeWithoutResult((status) -> publisher.publish(failure));
        return api.events().get(0).get("eventId").toString();
    }

    private Map<String, Object> storedOf(String eventId) {
        return api.<List<Map<String, Object>>>get("/notifications", "$[?(@.eventId == '%s')]".formatted(eventId))
                .get(0);
    }
}
