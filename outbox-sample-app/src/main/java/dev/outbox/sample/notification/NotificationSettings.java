package dev.outbox.sample.notification;

import dev.outbox.sample.webhook.WebhookSettings;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the notifications.
 *
 * @param messenger Adapter that sends the messages.
 * @param mail Mails of the adapter 'mail'.
 * @param webhook Webhook of the adapter 'webhook'.
 */
@ConfigurationProperties("notification")
record NotificationSettings(
        @DefaultValue("log") Adapter messenger,
        @DefaultValue MailSettings mail,
        @DefaultValue WebhookSettings webhook) {

    /** Adapters of the messenger. */
    enum Adapter {
        LOG,
        MAIL,
        DISCORD,
        WEBHOOK
    }
}
