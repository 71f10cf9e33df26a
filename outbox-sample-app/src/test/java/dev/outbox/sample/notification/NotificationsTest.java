package dev.outbox.sample.notification;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventEnvelope;
import dev.outbox.sample.Envelopes;
import dev.outbox.sample.SampleTest;
import dev.outbox.sample.events.SubscriptionStarted;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

@SampleTest
class NotificationsTest {

    @Autowired
    private Notifications notifications;

    @Test
    void redeliveredEventIsAnnouncedOnce() {
        SubscriptionStarted event = new SubscriptionStarted(UUID.randomUUID(), "guild-1", "pro");
        EventEnvelope envelope = Envelopes.of("subscription", "SubscriptionStarted", "{}");

        notifications.subscriptionStarted(event, envelope);
        List<Notification> sent = sentFor(envelope);
        notifications.subscriptionStarted(event, envelope);

        assertThat(sent).extracting(Notification::message).containsExactly("pro activated");
        assertThat(sentFor(envelope)).isEqualTo(sent);
    }

    private List<Notification> sentFor(EventEnvelope envelope) {
        return notifications.latest().stream()
                .filter((notification) -> notification.eventId().equals(envelope.eventId()))
                .toList();
    }
}
