package dev.outbox.sample.notification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.EventEnvelope;
import dev.outbox.NonRetryableException;
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

@SampleTest
class NotificationsTest {

    private final SubscriptionStarted event = new SubscriptionStarted(UUID.randomUUID(), "guild-1", "pro");

    @Autowired
    private BillingNotifications billing;

    @Autowired
    private MeterRegistry meters;

    @Autowired
    private Notifications notifications;

    @Test
    void redeliveredEventIsAnnouncedOnce() {
        EventEnvelope envelope = envelope(Map.of(Headers.GUILD_ID, "guild-1"));

        double duplicates = duplicates();

        billing.subscriptionStarted(event, envelope);
        List<Notification> sent = sentFor(envelope);
        billing.subscriptionStarted(event, envelope);

        assertThat(sent).extracting(Notification::message).containsExactly("pro activated");
        assertThat(sentFor(envelope)).isEqualTo(sent);
        assertThat(duplicates()).isEqualTo(duplicates + 1);
    }

    @Test
    void eventWithoutRecipientIsNotRetried() {
        assertThatThrownBy(() -> billing.subscriptionStarted(event, envelope(Map.of())))
                .isInstanceOf(NonRetryableException.class);
    }

    private double duplicates() {
        return meters.counter("sample.duplicates", "handler", "notification").count();
    }

    private EventEnvelope envelope(Map<String, String> headers) {
        return Envelopes.of("subscription", event.subscriptionId().toString(), 1, "SubscriptionStarted", "{}", headers);
    }

    private List<Notification> sentFor(EventEnvelope envelope) {
        return notifications.latest().stream()
                .filter((notification) -> notification.eventId().equals(envelope.eventId()))
                .toList();
    }
}
