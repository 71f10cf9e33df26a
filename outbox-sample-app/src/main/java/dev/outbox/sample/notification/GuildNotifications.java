package dev.outbox.sample.notification;

import dev.outbox.EventEnvelope;
import dev.outbox.NonRetryableException;
import dev.outbox.sample.events.Headers;
import org.springframework.stereotype.Component;

/** Sends messages to the guild that an event is about. */
@Component
final class GuildNotifications {

    private final Notifications notifications;

    GuildNotifications(Notifications notifications) {
        this.notifications = notifications;
    }

    void send(EventEnvelope event, String message) {
        String guildId = event.headers().get(Headers.GUILD_ID);
        if (guildId == null) {
            throw new NonRetryableException(event + " names no guild in its header " + Headers.GUILD_ID);
        }
        notifications.send(event, guildId, message);
    }
}
