package dev.outbox.sample.recovery;

import dev.outbox.sample.events.RecoveryEvent.AntiNukeActioned;
import dev.outbox.sample.events.RecoveryEvent.AntiNukeTriggered;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Responds to attacks: removes the roles of the suspects. */
@Service
class AntiNuke {

    private static final String RECORD = """
            INSERT INTO recovery.incidents (id, guild_id, pattern, suspects)
            VALUES (:id, :guildId, :pattern, :suspects)
            """;

    private static final String ACT = """
            UPDATE recovery.incidents
               SET actions = :actions
             WHERE id = :id
            """;

    private static final String FIND = """
            SELECT id, guild_id, pattern, suspects, actions
              FROM recovery.incidents
             WHERE id = :id
            """;

    private final JdbcClient jdbc;
    private final RecoveryEvents events;

    AntiNuke(JdbcClient jdbc, RecoveryEvents events) {
        this.jdbc = jdbc;
        this.events = events;
    }

    @Transactional
    UUID trigger(String guildId, String pattern, List<String> suspects) {
        UUID id = UUID.randomUUID();
        jdbc.sql(RECORD)
                .param("id", id)
                .param("guildId", guildId)
                .param("pattern", pattern)
                .param("suspects", String.join(",", suspects))
                .update();
        events.publish("incident", id, guildId, new AntiNukeTriggered(guildId, pattern, suspects));
        return id;
    }

    @Transactional
    Incident act(UUID id) {
        Incident incident = find(id);
        List<String> actions = incident.suspects().stream()
                .map((suspect) -> "roles removed from " + suspect)
                .toList();
        jdbc.sql(ACT)
                .param("id", id)
                .param("actions", String.join(",", actions))
                .update();
        events.publish("incident", id, incident.guildId(), new AntiNukeActioned(incident.guildId(), actions));
        return find(id);
    }

    private Incident find(UUID id) {
        return jdbc.sql(FIND).param("id", id).query(Incident.class).single();
    }
}
