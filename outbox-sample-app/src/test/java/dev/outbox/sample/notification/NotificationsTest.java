package dev.outbox.sample.notification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.outbox.EventEnvelope;
import dev.outbox.sample.Api;
import dev.outbox.sample.Envelopes;
import dev.outbox.sample.SampleTest;
import dev.outbox.sample.events.BillingEvent.SubscriptionStarted;
import dev.outbox.sample.events.Headers;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.support.TransactionTemplate;

@SampleTest
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
        api.awaitPublished();

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
}
