package dev.outbox.sample.notification;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of the mails. The SMTP server is that of {@code spring.mail}.
 *
 * @param from Address of the sender.
 * @param address Address of a user whose own address is unknown, with {recipient} for the id.
 * @param subject Subject of each mail.
 */
record MailSettings(
        @Nullable String from,
        @Nullable String address,
        @DefaultValue("Notification") String subject) {}
