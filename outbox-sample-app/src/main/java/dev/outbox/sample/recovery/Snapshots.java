package dev.outbox.sample.recovery;

import dev.outbox.sample.events.RecoveryEvent.SnapshotCreated;
import dev.outbox.sample.events.RecoveryEvent.SnapshotDeleted;
import dev.outbox.sample.web.NotFoundException;
import java.util.List;
import java.util.UUID;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Takes snapshots, and keeps the latest ones of each guild. */
@Service
class Snapshots {

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
    private final RecoveryEvents events;
    private final int kept;

    Snapshots(JdbcClient jdbc, RecoveryEvents events, @Value("${recovery.snapshots-kept}") int kept) {
        this.jdbc = jdbc;
        this.events = events;
        this.kept = kept;
    }

    @Transactional
    Snapshot take(String guildId, String trigger, List<String> roles) {
        UUID id = UUID.randomUUID();
        jdbc.sql(TAKE)
                .param("id", id)
                .param("guildId", guildId)
                .param("trigger", trigger)
                .param("roles", String.join(",", roles))
                .update();
        events.publish("snapshot", id, guildId, new SnapshotCreated(id, guildId, trigger));
        deleteOld(guildId);
        return find(id);
    }

    Snapshot find(UUID id) {
        return jdbc.sql(FIND)
                .param("id", id)
                .query(Snapshot.class)
                .optional()
                .orElseThrow(() -> new NotFoundException("snapshot", id));
    }

    private void deleteOld(String guildId) {
        jdbc.sql(DELETE_OLD)
                .param("guildId", guildId)
                .param("kept", kept)
                .query(UUID.class)
                .list()
                .forEach((old) -> events.publish("snapshot", old, guildId, new SnapshotDeleted(old, guildId)));
    }
}
