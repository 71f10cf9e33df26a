package dev.outbox.sample.recovery;

import dev.outbox.NonRetryableException;
import dev.outbox.RetryAfterException;
import dev.outbox.sample.discord.Bot;
import dev.outbox.sample.discord.GuildRoles;
import dev.outbox.sample.events.RecoveryEvent.SnapshotCreated;
import dev.outbox.sample.events.RecoveryEvent.SnapshotDeleted;
import dev.outbox.sample.http.GatewayException;
import dev.outbox.sample.web.NotFoundException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionOperations;
import org.springframework.web.server.ResponseStatusException;

/** Takes snapshots, and keeps the latest ones of each guild. */
@Service
final class Snapshots {

    private static final String TAKE = """
            INSERT INTO recovery.snapshots (id, guild_id, trigger, roles)
            VALUES (:id, :guildId, :trigger, :roles)
            """;

    private static final String DELETE_OLD = """
            DELETE FROM recovery.snapshots
             WHERE id IN (SELECT id
                            FROM recovery.snapshots
                           WHERE guild_id = :guildId
                           ORDER BY number DESC
                          OFFSET :kept)
            RETURNING id
            """;

    private static final String FIND = """
            SELECT id, guild_id, trigger, roles, taken_at
              FROM recovery.snapshots
             WHERE id = :id
            """;

    private final JdbcClient jdbc;
    private final TransactionOperations transaction;
    private final RecoveryEvents events;
    private final RecoverySettings settings;
    private final GuildRoles guildRoles;
    private final Bot bot;

    Snapshots(
            JdbcClient jdbc,
            TransactionOperations transaction,
            RecoveryEvents events,
            RecoverySettings settings,
            GuildRoles guildRoles,
            Bot bot) {
        this.jdbc = jdbc;
        this.transaction = transaction;
        this.events = events;
        this.settings = settings;
        this.guildRoles = guildRoles;
        this.bot = bot;
    }

    /** Reads the roles of a guild outside any transaction, then stores them. */
    Snapshot take(String guildId, String trigger) {
        List<String> roles = read(guildId);
        UUID id = UUID.randomUUID();
        transaction.executeWithoutResult((status) -> {
            bot.requireIn(guildId);
            jdbc.sql(TAKE)
                    .param("id", id)
                    .param("guildId", guildId)
                    .param("trigger", trigger)
                    .param("roles", roles.toArray(String[]::new))
                    .update();
            events.publish("snapshot", id, guildId, new SnapshotCreated(id, guildId, trigger));
            deleteOld(guildId);
        });
        return find(id);
    }

    Snapshot find(UUID id) {
        return jdbc.sql(FIND)
                .param("id", id)
                .query(Snapshots::snapshot)
                .optional()
                .orElseThrow(() -> new NotFoundException("snapshot", id));
    }

    private List<String> read(String guildId) {
        try {
            return guildRoles.read(guildId);
        } catch (NonRetryableException ex) {
            throw unreadable(HttpStatus.CONFLICT, guildId, ex);
        } catch (GatewayException | RetryAfterException ex) {
            throw unreadable(HttpStatus.SERVICE_UNAVAILABLE, guildId, ex);
        }
    }

    private static ResponseStatusException unreadable(HttpStatus status, String guildId, RuntimeException cause) {
        return new ResponseStatusException(
                status, "cannot read the roles of guild %s: %s".formatted(guildId, cause.getMessage()), cause);
    }

    private void deleteOld(String guildId) {
        jdbc.sql(DELETE_OLD)
                .param("guildId", guildId)
                .param("kept", settings.snapshotsKept())
                .query(UUID.class)
                .list()
                .forEach((old) -> events.publish("snapshot", old, guildId, new SnapshotDeleted(old, guildId)));
    }

    private static Snapshot snapshot(ResultSet row, int number) throws SQLException {
        return new Snapshot(
                row.getObject("id", UUID.class),
                row.getString("guild_id"),
                row.getString("trigger"),
                List.of((String[]) row.getArray("roles").getArray()),
                row.getObject("taken_at", OffsetDateTime.class).toInstant());
    }
}
