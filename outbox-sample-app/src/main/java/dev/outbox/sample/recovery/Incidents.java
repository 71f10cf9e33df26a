package dev.outbox.sample.recovery;

import dev.outbox.sample.events.RecoveryEvent.AntiNukeActioned;
import dev.outbox.sample.events.RecoveryEvent.AntiNukeTriggered;
import dev.outbox.sample.web.NotFoundException;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Stores incidents and their answers. An incident is answered once. */
@Service
class Incidents {

    private static final String RECORD = """
            INSERT INTO recovery.incidents (id, guild_id, pattern, suspects)
            VALUES (:id, :guildId, :pattern, :suspects)
            """;

    private static final String CLOSE = """
            UPDATE recovery.incidents
               SET actions = :actions
             WHERE id = :id
               AND actions = ''
            """;

    private static final String FIND = """
            SELECT id, guild_id, pattern, suspects, actions
              FROM recovery.incidents
             WHERE id = :id
            """;

    private final JdbcClient jdbc;
    private final RecoveryEvents events;

    Incidents(JdbcClient jdbc, RecoveryEvents events) {
        this.jdbc = jdbc;
        this.events = events;
    }

    @Transactional
    Incident report(String guildId, String pattern, List<String> suspects) {
        UUID id = UUID.randomUUID();
        jdbc.sql(RECORD)
                .param("id", id)
                .param("guildId", guildId)
                .param("pattern", pattern)
                .param("suspects", String.join(",", suspects))
                .update();
        events.publish("incident", id, guildId, new AntiNukeTriggered(guildId, pattern, suspects));
        return find(id);
    }

    @Transactional
    void close(Incident incident, List<String> actions) {
        int closed = jdbc.sql(CLOSE)
                .param("id", incident.id())
                .param("actions", String.join(",", actions))
                .update();
        if (closed == 1) {
            publishActions(incident, actions);
        }
    }

    /** Publishes in the transaction of the caller. */
    void publishActions(Incident incident, List<String> actions) {
        events.publish(
                "incident", incident.id(), incident.guildId(), new AntiNukeActioned(incident.guildId(), actions));
    }

    Incident find(UUID id) {
        return jdbc.sql(FIND)
                .param("id", id)
                .query(Incident.class)
                .optional()
                .orElseThrow(() -> new NotFoundException("incident", id));
    }
}
