package dev.outbox.sample.adapters.discord;

import dev.outbox.sample.http.GatewayTimeouts;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of Discord.
 *
 * @param token Token of the bot. Adapters of Discord need it.
 * @param baseUrl Address of the API.
 * @param timeouts Limits of a call.
 */
@ConfigurationProperties("discord")
record DiscordSettings(
        @Nullable String token,
        @DefaultValue("https://discord.com/api/v10") URI baseUrl,
        @DefaultValue GatewayTimeouts timeouts) {

    /** Omits the token. */
    @Override
    public String toString() {
        return "DiscordSettings[baseUrl=" + baseUrl + "]";
    }
}
