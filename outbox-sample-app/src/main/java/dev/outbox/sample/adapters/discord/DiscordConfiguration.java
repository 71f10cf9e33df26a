package dev.outbox.sample.adapters.discord;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Sends messages if {@code notification.messenger} is {@code discord}, and keeps roles if {@code discord.guild-roles} is. */
@Configuration(proxyBeanMethods = false)
@EnableConfigurationProperties(DiscordSettings.class)
class DiscordConfiguration {

    @Bean
    @ConditionalOnProperty(name = "notification.messenger", havingValue = "discord")
    DiscordMessenger discordMessenger(DiscordSettings settings) {
        return new DiscordMessenger(new Discord(settings));
    }

    @Bean
    @ConditionalOnProperty(name = "discord.guild-roles", havingValue = "discord")
    DiscordGuildRoles discordGuildRoles(DiscordSettings settings) {
        return new DiscordGuildRoles(new Discord(settings));
    }
}
