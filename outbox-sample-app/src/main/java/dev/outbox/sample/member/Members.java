package dev.outbox.sample.member;

import dev.outbox.OutboxPublisher;
import dev.outbox.sample.discord.Bot;
import dev.outbox.sample.events.MemberEvent;
import dev.outbox.sample.events.MemberEvent.MemberJoinedViaWebJoin;
import dev.outbox.sample.events.MemberEvent.MemberRestored;
import dev.outbox.sample.web.NotFoundException;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Lets members join through the page of a guild, and gives them their roles back. */
@Service
class Members {

    private static final String JOIN = """
            INSERT INTO member.members (id, guild_id, discord_user_id, slug)
            VALUES (:id, :guildId, :discordUserId, :slug)
            ON CONFLICT (guild_id, discord_user_id) DO NOTHING
            """;

    private static final String RESTORE = """
            UPDATE member.members
               SET roles = :roles
             WHERE id = :id
            """;

    private static final String FIND = """
            SELECT id, guild_id, discord_user_id, slug, roles
              FROM member.members
             WHERE id = :id
            """;

    private static final String FIND_IN_GUILD = """
            SELECT id, guild_id, discord_user_id, slug, roles
              FROM member.members
             WHERE guild_id = :guildId
               AND discord_user_id = :discordUserId
            """;

    private final JdbcClient jdbc;
    private final OutboxPublisher outbox;
    private final Bot bot;

    Members(JdbcClient jdbc, OutboxPublisher outbox, Bot bot) {
        this.jdbc = jdbc;
        this.outbox = outbox;
        this.bot = bot;
    }

    /** Adds a member to a guild that has the bot. Publishes nothing if the user is already a member. */
    @Transactional
    Member join(String guildId, String discordUserId, String slug) {
        bot.requireIn(guildId);
        UUID id = UUID.randomUUID();
        int joined = jdbc.sql(JOIN)
                .param("id", id)
                .param("guildId", guildId)
                .param("discordUserId", discordUserId)
                .param("slug", slug)
                .update();
        if (joined == 1) {
            publish(id, new MemberJoinedViaWebJoin(id, guildId, slug));
        }
        return jdbc.sql(FIND_IN_GUILD)
                .param("guildId", guildId)
                .param("discordUserId", discordUserId)
                .query(Member.class)
                .single();
    }

    @Transactional
    Member restore(UUID id, List<String> roles) {
        Member member = find(id);
        jdbc.sql(RESTORE)
                .param("id", id)
                .param("roles", String.join(",", roles))
                .update();
        publish(id, new MemberRestored(id, member.guildId(), roles));
        return find(id);
    }

    Member find(UUID id) {
        return jdbc.sql(FIND)
                .param("id", id)
                .query(Member.class)
                .optional()
                .orElseThrow(() -> new NotFoundException("member", id));
    }

    private void publish(UUID id, MemberEvent event) {
        outbox.publish("member", id.toString(), event);
    }
}
