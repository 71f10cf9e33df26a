package dev.outbox.sample.notification;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the notifications.
 *
 * @param messenger Adapter that sends the messages.
 * @param mail Mails of the adapter 'mail'.
 */
@ConfigurationProperties("notification")
record NotificationSettings(
        @DefaultValue("log") Adapter messenger,
        @DefaultValue MailSettings mail) {

    /** Adapters of the messenger. */
    enum Adapter {
        LOG,
        MAIL,
        DISCORD
    }
}
