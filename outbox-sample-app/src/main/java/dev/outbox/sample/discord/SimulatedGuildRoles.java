package dev.outbox.sample.discord;

import dev.outbox.NonRetryableException;
import dev.outbox.sample.demo.Outage;
import dev.outbox.sample.demo.Outages;
import dev.outbox.sample.discord.SimulatedGuildRoles.Role;
import dev.outbox.sample.http.GatewayException;
import dev.outbox.sample.web.Name;
import java.util.List;
import java.util.function.Supplier;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RestController;

/** Guild system that remembers its roles, and can be down or lose its answers. Its moderators change roles over HTTP. */
@RestController
@ConditionalOnProperty(name = "discord.guild-roles", havingValue = "simulated")
final class SimulatedGuildRoles implements GuildRoles {

    private static final String ROLES = """
            SELECT role, requests
              FROM discord.simulated_roles
             WHERE guild_id = :guildId
             ORDER BY role
            """;

    private static final String CREATE = """
            INSERT INTO discord.simulated_roles (guild_id, role)
            VALUES (:guildId, :role)
            ON CONFLICT DO NOTHING
            """;

    private static final String RESTORE = """
            INSERT INTO discord.simulated_roles (guild_id, role, requests)
            VALUES (:guildId, :role, 1)
            ON CONFLICT (guild_id, role) DO UPDATE
               SET requests = simulated_roles.requests + 1
            """;

    private static final String DELETE = """
            DELETE FROM discord.simulated_roles
             WHERE guild_id = :guildId
               AND role = :role
            """;

    private static final String ROLES_OF_MEMBER = """
            SELECT role
              FROM discord.simulated_member_roles
             WHERE guild_id = :guildId
               AND member = :member
             ORDER BY role
            """;

    private static final String GRANT = """
            INSERT INTO discord.simulated_member_roles (guild_id, member, role)
            VALUES (:guildId, :member, :role)
            ON CONFLICT DO NOTHING
            """;

    private static final String REVOKE = """
            DELETE FROM discord.simulated_member_roles
             WHERE guild_id = :guildId
               AND member = :member
            """;

    private final JdbcClient jdbc;
    private final Outages outages;

    SimulatedGuildRoles(JdbcClient jdbc, Outages outages) {
        this.jdbc = jdbc;
        this.outages = outages;
    }

    @Override
    public List<String> read(String guildId) {
        return answer(() -> rolesOf(guildId).stream().map(Role::role).toList());
    }

    @Override
    public void restore(String guildId, String role) {
        answer(() -> update(RESTORE, guildId, role));
    }

    @Override
    public void grant(String guildId, String member, String role) {
        answer(() -> {
            if (rolesOf(guildId).stream()
                    .noneMatch((existing) -> existing.role().equals(role))) {
                throw new NonRetryableException("guild " + guildId + " has no role " + role);
            }
            return jdbc.sql(GRANT)
                    .param("guildId", guildId)
                    .param("member", member)
                    .param("role", role)
                    .update();
        });
    }

    @Override
    public void revoke(String guildId, String member) {
        answer(() -> jdbc.sql(REVOKE)
                .param("guildId", guildId)
                .param("member", member)
                .update());
    }

    /** Creates a role as a moderator would. */
    @PutMapping("/guilds/{guildId}/roles/{role}")
    void create(@PathVariable @Name String guildId, @PathVariable @Name String role) {
        update(CREATE, guildId, role);
    }

    /** Deletes a role, which its members lose. */
    @DeleteMapping("/guilds/{guildId}/roles/{role}")
    void delete(@PathVariable String guildId, @PathVariable String role) {
        update(DELETE, guildId, role);
    }

    @GetMapping("/guilds/{guildId}/roles")
    List<Role> rolesOf(@PathVariable String guildId) {
        return jdbc.sql(ROLES).param("guildId", guildId).query(Role.class).list();
    }

    @GetMapping("/guilds/{guildId}/members/{member}/roles")
    List<String> rolesOf(@PathVariable String guildId, @PathVariable String member) {
        return jdbc.sql(ROLES_OF_MEMBER)
                .param("guildId", guildId)
                .param("member", member)
                .query(String.class)
                .list();
    }

    private int update(String sql, String guildId, String role) {
        return jdbc.sql(sql).param("guildId", guildId).param("role", role).update();
    }

    private <T> T answer(Supplier<T> request) {
        Outage outage = outages.of("discord");
        if (outage == Outage.DOWN) {
            throw new GatewayException("the guild system cannot be reached");
        }
        T answer = request.get();
        if (outage == Outage.LOSE_ANSWER) {
            throw new GatewayException("the guild system has not answered");
        }
        return answer;
    }

    /** Role of a guild, and how often its restore was requested. */
    record Role(String role, int requests) {}
}
