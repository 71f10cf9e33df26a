package dev.outbox.sample.notification;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the notifications.
 *
 * @param messenger Adapter that sends the messages.
 */
@ConfigurationProperties("notification")
record NotificationSettings(@DefaultValue("log") Adapter messenger) {

    /** Adapters of the messenger. */
    enum Adapter {
        LOG,
        DISCORD
    }
}
