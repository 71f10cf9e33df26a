package dev.outbox.sample.recovery;

import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.DeletionReported;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

/**
 * Reports an attack when a guild loses too many channels and roles in a short time. Counts in the database, where all instances count
 * together, by the time at Discord, so that a backlog is no attack. A counted deletion belongs to one attack.
 */
@Component
class AttackDetector {

    private static final String RECORD = """
            INSERT INTO recovery.deletions (entry_id, guild_id, user_id, deleted_at)
            VALUES (:entryId, :guildId, :userId, :deletedAt)
            ON CONFLICT (entry_id) DO NOTHING
            """;

    private static final String COUNT = """
            WITH recent AS (
                SELECT entry_id
                  FROM recovery.deletions
                 WHERE guild_id = :guildId
                   AND deleted_at BETWEEN :begin AND :deletedAt
                   AND NOT counted)
            UPDATE recovery.deletions
               SET counted = true
             WHERE entry_id IN (SELECT entry_id FROM recent)
               AND (SELECT count(*) FROM recent) >= :limit
            RETURNING user_id
            """;

    private static final String FORGET = """
            DELETE FROM recovery.deletions
             WHERE guild_id = :guildId
               AND deleted_at < :begin
            """;

    private final JdbcClient jdbc;
    private final Incidents incidents;
    private final RecoverySettings.Attack attack;

    AttackDetector(JdbcClient jdbc, Incidents incidents, RecoverySettings settings) {
        this.jdbc = jdbc;
        this.incidents = incidents;
        this.attack = settings.attack();
    }

    @Transactional
    @OutboxHandler(id = "recovery.detect")
    void deletionReported(DeletionReported event) {
        Instant begin = event.deletedAt().minus(attack.within());
        forget(event.guildId(), begin);
        if (record(event)) {
            List<String> suspects = count(event, begin);
            if (!suspects.isEmpty()) {
                incidents.report(event.guildId(), "mass_deletion", suspects);
            }
        }
    }

    private void forget(String guildId, Instant begin) {
        jdbc.sql(FORGET)
                .param("guildId", guildId)
                .param("begin", Timestamp.from(begin))
                .update();
    }

    private boolean record(DeletionReported event) {
        return jdbc.sql(RECORD)
                        .param("entryId", event.entryId())
                        .param("guildId", event.guildId())
                        .param("userId", event.userId())
                        .param("deletedAt", Timestamp.from(event.deletedAt()))
                        .update()
                == 1;
    }

    /** Returns the users who made the deletions that are an attack, or none. */
    private List<String> count(DeletionReported event, Instant begin) {
        return jdbc
                .sql(COUNT)
                .param("guildId", event.guildId())
                .param("begin", Timestamp.from(begin))
                .param("deletedAt", Timestamp.from(event.deletedAt()))
                .param("limit", attack.deletions())
                .query(String.class)
                .list()
                .stream()
                .distinct()
                .sorted()
                .toList();
    }
}
