package dev.outbox.sample.recovery;

import dev.outbox.sample.demo.Outage;
import dev.outbox.sample.demo.Outages;
import dev.outbox.sample.http.GatewayException;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Guild system that remembers its roles, and can be down or lose its answers. */
final class SimulatedGuildRoles implements GuildRoles {

    private static final String CHANGE = """
            INSERT INTO recovery.simulated_changes (guild_id, change)
            VALUES (:guildId, :change)
            ON CONFLICT (guild_id, change) DO UPDATE
               SET requests = simulated_changes.requests + 1
            """;

    private static final String CHANGES = """
            SELECT change, requests
              FROM recovery.simulated_changes
             WHERE guild_id = :guildId
             ORDER BY change
            """;

    private final JdbcClient jdbc;
    private final Outages outages;

    SimulatedGuildRoles(JdbcClient jdbc, Outages outages) {
        this.jdbc = jdbc;
        this.outages = outages;
    }

    @Override
    public void restore(String guildId, String role) {
        change(guildId, "role " + role + " created");
    }

    @Override
    public void revoke(String guildId, String member) {
        change(guildId, "roles of " + member + " removed");
    }

    List<Change> changesOf(String guildId) {
        return jdbc.sql(CHANGES).param("guildId", guildId).query(Change.class).list();
    }

    private void change(String guildId, String change) {
        Outage outage = outages.of("discord");
        if (outage == Outage.DOWN) {
            throw new GatewayException("the guild system cannot be reached");
        }
        jdbc.sql(CHANGE).param("guildId", guildId).param("change", change).update();
        if (outage == Outage.LOSE_ANSWER) {
            throw new GatewayException("the guild system has not answered");
        }
    }

    /** Change of a guild, and how often it was requested. */
    record Change(String change, int requests) {}
}
