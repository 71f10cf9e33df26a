package dev.outbox.sample.adapters.discord;

import dev.outbox.NonRetryableException;
import dev.outbox.sample.discord.GuildRoles;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.springframework.http.HttpMethod;
import tools.jackson.databind.JsonNode;

/** Roles of guilds on Discord. */
final class DiscordGuildRoles implements GuildRoles {

    private final Discord discord;

    DiscordGuildRoles(Discord discord) {
        this.discord = discord;
    }

    /** Leaves out the role of everyone, which has the id of the guild, and the roles of applications, which a bot cannot create. */
    @Override
    public List<String> read(String guildId) {
        return roles(guildId)
                .filter((role) -> !role.path("id").asString("").equals(guildId)
                        && !role.path("managed").asBoolean(false))
                .map(DiscordGuildRoles::name)
                .toList();
    }

    @Override
    public void restore(String guildId, String role) {
        if (roles(guildId).noneMatch((existing) -> name(existing).equals(role))) {
            discord.call(HttpMethod.POST, Map.of("name", role), "guilds", guildId, "roles");
        }
    }

    @Override
    public void grant(String guildId, String member, String role) {
        String id = roles(guildId)
                .filter((existing) -> name(existing).equals(role))
                .map((existing) -> existing.path("id").asString())
                .findFirst()
                .orElseThrow(() -> new NonRetryableException("guild " + guildId + " has no role " + role));
        discord.call(HttpMethod.PUT, null, "guilds", guildId, "members", member, "roles", id);
    }

    @Override
    public void revoke(String guildId, String member) {
        discord.call(HttpMethod.GET, null, "guilds", guildId, "members", member)
                .path("roles")
                .valueStream()
                .forEach((role) -> discord.call(
                        HttpMethod.DELETE, null, "guilds", guildId, "members", member, "roles", role.asString()));
    }

    private Stream<JsonNode> roles(String guildId) {
        return discord.call(HttpMethod.GET, null, "guilds", guildId, "roles").valueStream();
    }

    private static String name(JsonNode role) {
        return role.path("name").asString("");
    }
}
