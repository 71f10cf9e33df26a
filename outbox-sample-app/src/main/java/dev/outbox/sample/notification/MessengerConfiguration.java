package dev.outbox.sample.notification;

import dev.outbox.sample.discord.Discord;
import dev.outbox.sample.discord.DiscordSettings;
import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.mail.javamail.JavaMailSender;

/** Chooses the messenger, and refuses to start if one of its properties is missing. */
@Configuration(proxyBeanMethods = false)
class MessengerConfiguration {

    @Bean
    Messenger messenger(
            NotificationSettings settings,
            DiscordSettings discord,
            ObjectProvider<JavaMailSender> mailSender,
            ObjectProvider<Directory> directory,
            Environment environment) {
        return switch (settings.messenger()) {
            case LOG -> new LogMessenger();
            case MAIL -> mailMessenger(settings.mail(), mailSender, directory, environment);
            case DISCORD -> new DiscordMessenger(new Discord(discord));
        };
    }

    private static Messenger mailMessenger(
            MailSettings settings,
            ObjectProvider<JavaMailSender> mailSender,
            ObjectProvider<Directory> directory,
            Environment environment) {
        if (environment.containsProperty("spring.mail.username")) {
            required("spring.mail.password", environment.getProperty("spring.mail.password"));
        }
        return new MailMessenger(
                required("spring.mail.host", mailSender.getIfAvailable()),
                sender(required("notification.mail.from", settings.from())),
                (userId) -> directory.getObject().mailAddressOf(userId),
                required("notification.mail.address", settings.address()),
                settings.subject());
    }

    private static InternetAddress sender(String from) {
        try {
            return new InternetAddress(from, true);
        } catch (AddressException ex) {
            throw new IllegalStateException("notification.mail.from is no mail address: " + from, ex);
        }
    }

    private static <T> T required(String property, @Nullable T value) {
        if (value == null || (value instanceof String text && text.isBlank())) {
            throw new IllegalStateException(property + " is missing; notification.messenger=mail needs it");
        }
        return value;
    }
}
