package dev.outbox.sample.notification;

import dev.outbox.EventEnvelope;
import dev.outbox.NonRetryableException;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.GuildEvent.OwnerEvent;
import dev.outbox.sample.events.Headers;
import java.util.Map;
import java.util.Optional;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Directory of the people whom messages reach: the owner of each guild. The id of a user is that of Discord. */
@Component
class Directory {

    private static final String SET_OWNER = """
            INSERT INTO notification.guild_owners (guild_id, owner_id, seq)
            VALUES (:guildId, :ownerId, :seq)
            ON CONFLICT (guild_id) DO UPDATE
               SET owner_id = excluded.owner_id, seq = excluded.seq
             WHERE guild_owners.seq < excluded.seq
            """;

    private static final String OWNER = """
            SELECT owner_id
              FROM notification.guild_owners
             WHERE guild_id = :guildId
            """;

    private final JdbcClient jdbc;

    Directory(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    @OutboxHandler(id = "notification.guild-owner")
    void ownerKnown(OwnerEvent event, EventEnvelope envelope) {
        jdbc.sql(SET_OWNER)
                .param("guildId", event.guildId())
                .param("ownerId", event.ownerId())
                .param("seq", envelope.sequence())
                .update();
    }

    /** Returns the user who pays or on whose behalf something happened, else the owner of the guild, or the guild if the bot never was there. */
    String recipientOf(EventEnvelope event) {
        Map<String, String> headers = event.headers();
        String guildId = headers.get(Headers.GUILD_ID);
        return Optional.ofNullable(headers.getOrDefault(Headers.USER_ID, headers.get(Headers.OWNER_ID)))
                .or(() -> Optional.ofNullable(guildId).map(this::ownerOf))
                .orElseThrow(() -> new NonRetryableException(event + " names no recipient in its headers"));
    }

    private String ownerOf(String guildId) {
        return jdbc.sql(OWNER)
                .param("guildId", guildId)
                .query(String.class)
                .optional()
                .orElse(guildId);
    }
}
