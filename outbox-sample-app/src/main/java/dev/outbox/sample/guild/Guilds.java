package dev.outbox.sample.guild;

import dev.outbox.OutboxPublisher;
import dev.outbox.sample.discord.Bot;
import dev.outbox.sample.events.DeletionReported;
import dev.outbox.sample.events.GuildEvent;
import dev.outbox.sample.events.GuildEvent.BotInstalled;
import dev.outbox.sample.events.GuildEvent.BotKicked;
import dev.outbox.sample.events.GuildEvent.GuildDeleted;
import dev.outbox.sample.events.GuildEvent.GuildOwnerChanged;
import dev.outbox.sample.web.NotFoundException;
import java.sql.Types;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.server.ResponseStatusException;

/** Stores Discord's reports about guilds. A report without a change publishes nothing. */
@Service
class Guilds implements Bot {

    private static final String INSTALL = """
            INSERT INTO guild.guilds (id, owner_id, status)
            VALUES (:id, :installerUserId, 'installed')
            ON CONFLICT (id) DO UPDATE
               SET owner_id = excluded.owner_id,
                   status = 'installed',
                   changed_at = now()
             WHERE guilds.status <> 'installed'
            """;

    private static final String KICK = """
            UPDATE guild.guilds
               SET status = 'kicked', changed_at = now()
             WHERE id = :id
               AND status = 'installed'
            """;

    private static final String CHANGE_OWNER = """
            UPDATE guild.guilds
               SET owner_id = :newOwnerId, changed_at = now()
             WHERE id = :id
               AND owner_id <> :newOwnerId
            """;

    private static final String DELETE = """
            UPDATE guild.guilds
               SET status = 'deleted', changed_at = now()
             WHERE id = :id
               AND status <> 'deleted'
            """;

    /** A session counts from the start, and an unnamed one begins with the creation of the guild. */
    private static final String ADVANCE = """
            UPDATE guild.guilds
               SET session_id = :sessionId, seq = :seq
             WHERE id = :id
               AND (seq < :seq OR session_id IS DISTINCT FROM :sessionId OR seq IS NULL OR :begins)
            """;

    private static final String FIND = """
            SELECT id, owner_id, status, changed_at
              FROM guild.guilds
             WHERE id = :id
            """;

    private static final String LOCK = FIND + " FOR UPDATE";

    private static final String HOLD = FIND + " FOR SHARE";

    private final JdbcClient jdbc;
    private final OutboxPublisher outbox;

    Guilds(JdbcClient jdbc, OutboxPublisher outbox) {
        this.jdbc = jdbc;
        this.outbox = outbox;
    }

    @Transactional
    Guild install(String id, String installerUserId) {
        int installed = jdbc.sql(INSTALL)
                .param("id", id)
                .param("installerUserId", installerUserId)
                .update();
        return changed(installed, id, new BotInstalled(id, installerUserId));
    }

    @Transactional
    Guild kick(String id) {
        return changed(jdbc.sql(KICK).param("id", id).update(), id, new BotKicked(id));
    }

    /** Installs the bot unless it is there already, and takes over the owner. An event that was seen before changes nothing. */
    @Transactional
    void joined(String id, String ownerId, Position position) {
        boolean begins = position.sessionId() == null;
        if (!advance(id, position, begins) && isKnown(id)) {
            return;
        }
        install(id, ownerId);
        changeOwner(id, ownerId);
        advance(id, position, begins);
    }

    /** As {@link #kick}, of a guild that may be unknown. An event that was seen before changes nothing. */
    @Transactional
    void left(String id, Position position) {
        if (advance(id, position, false) && jdbc.sql(KICK).param("id", id).update() == 1) {
            outbox.publish("guild", id, new BotKicked(id));
        }
    }

    /** Publishes a deletion in a known guild. An event that was seen before changes nothing. */
    @Transactional
    void reported(DeletionReported deletion, Position position) {
        if (advance(deletion.guildId(), position, false)) {
            outbox.publish("deletion", deletion.guildId(), deletion);
        }
    }

    /** Locks a guild, and returns whether the event is newer than those seen before. */
    private boolean advance(String id, Position position, boolean begins) {
        return jdbc.sql(ADVANCE)
                        .param("id", id)
                        .param("sessionId", position.sessionId(), Types.VARCHAR)
                        .param("seq", position.seq(), Types.BIGINT)
                        .param("begins", begins)
                        .update()
                == 1;
    }

    private boolean isKnown(String id) {
        return jdbc.sql(FIND).param("id", id).query(Guild.class).optional().isPresent();
    }

    @Transactional
    Guild changeOwner(String id, String newOwnerId) {
        String oldOwnerId = find(LOCK, id).ownerId();
        int changed = jdbc.sql(CHANGE_OWNER)
                .param("id", id)
                .param("newOwnerId", newOwnerId)
                .update();
        return changed(changed, id, new GuildOwnerChanged(id, oldOwnerId, newOwnerId));
    }

    @Transactional
    Guild delete(String id) {
        return changed(jdbc.sql(DELETE).param("id", id).update(), id, new GuildDeleted(id));
    }

    Guild find(String id) {
        return find(FIND, id);
    }

    @Override
    @Transactional(propagation = Propagation.MANDATORY)
    public void requireIn(String guildId) {
        Guild guild = find(HOLD, guildId);
        if (!guild.hasBot()) {
            throw new ResponseStatusException(
                    HttpStatus.CONFLICT,
                    "the bot is not in guild %s, which is %s: install it first".formatted(guildId, guild.status()));
        }
    }

    /** Publishes in the transaction of the change, if there was one. */
    private Guild changed(int rows, String id, GuildEvent event) {
        if (rows == 1) {
            outbox.publish("guild", id, event);
        }
        return find(FIND, id);
    }

    private Guild find(String sql, String id) {
        return jdbc.sql(sql)
                .param("id", id)
                .query(Guild.class)
                .optional()
                .orElseThrow(() -> new NotFoundException("guild", id));
    }

    /** Position of an event in a session of the gateway, which may be unnamed. */
    record Position(@Nullable String sessionId, long seq) {}
}
