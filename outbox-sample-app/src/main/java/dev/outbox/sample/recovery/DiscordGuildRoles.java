package dev.outbox.sample.recovery;

import dev.outbox.sample.discord.Discord;
import java.util.Map;
import org.springframework.http.HttpMethod;

/** Roles of guilds on Discord. Roles that exist, and those that a member lacks, are left as they are. */
final class DiscordGuildRoles implements GuildRoles {

    private final Discord discord;

    DiscordGuildRoles(Discord discord) {
        this.discord = discord;
    }

    @Override
    public void restore(String guildId, String role) {
        boolean exists = discord.call(HttpMethod.GET, null, "guilds", guildId, "roles")
                .valueStream()
                .anyMatch((existing) -> existing.path("name").asString("").equals(role));
        if (!exists) {
            discord.call(HttpMethod.POST, Map.of("name", role), "guilds", guildId, "roles");
        }
    }

    @Override
    public void revoke(String guildId, String member) {
        discord.call(HttpMethod.GET, null, "guilds", guildId, "members", member)
                .path("roles")
                .valueStream()
                .forEach((role) -> discord.call(
                        HttpMethod.DELETE, null, "guilds", guildId, "members", member, "roles", role.asString()));
    }
}
