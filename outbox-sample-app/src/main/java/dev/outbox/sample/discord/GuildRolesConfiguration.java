package dev.outbox.sample.discord;

import dev.outbox.sample.demo.Outages;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Chooses the system that holds the roles of guilds. */
@Configuration(proxyBeanMethods = false)
class GuildRolesConfiguration {

    @Bean
    @ConditionalOnProperty(name = "discord.guild-roles", havingValue = "simulated")
    SimulatedGuildRoles simulatedGuildRoles(JdbcClient jdbc, Outages outages) {
        return new SimulatedGuildRoles(jdbc, outages);
    }

    @Bean
    @ConditionalOnProperty(name = "discord.guild-roles", havingValue = "discord")
    DiscordGuildRoles discordGuildRoles(DiscordSettings settings) {
        return new DiscordGuildRoles(new Discord(settings));
    }
}
