package dev.outbox.sample.notification;

import dev.outbox.sample.discord.Discord;
import dev.outbox.sample.discord.DiscordSettings;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Chooses the messenger, and refuses to start if one of its properties is missing. */
@Configuration(proxyBeanMethods = false)
class MessengerConfiguration {

    @Bean
    Messenger messenger(NotificationSettings settings, DiscordSettings discord) {
        return switch (settings.messenger()) {
            case LOG -> new LogMessenger();
            case DISCORD -> new DiscordMessenger(new Discord(discord));
        };
    }
}
