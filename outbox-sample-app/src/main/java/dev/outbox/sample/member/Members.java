package dev.outbox.sample.member;

import dev.outbox.OutboxPublisher;
import dev.outbox.sample.discord.Bot;
import dev.outbox.sample.events.MemberEvent;
import dev.outbox.sample.events.MemberEvent.MemberJoinedViaWebJoin;
import dev.outbox.sample.events.MemberEvent.MemberRestored;
import dev.outbox.sample.web.NotFoundException;
import java.sql.ResultSet;
import java.sql.SQLException;
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
               SET roles = :roles, restored_by = :requestId
             WHERE id = :id
               AND restored_by IS DISTINCT FROM :requestId
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
                .query(Members::member)
                .single();
    }

    /** Asks for roles to be given back to a member. */
    @Transactional
    Member requestRestore(UUID id, List<String> roles) {
        Member member = find(id);
        outbox.publish("member_restore", id.toString(), new MemberRestoreRequested(roles));
        return member;
    }

    /** Stores the roles that a member got back, and publishes it once for each request. */
    @Transactional
    void restored(Member member, List<String> roles, UUID requestId) {
        int restored = jdbc.sql(RESTORE)
                .param("id", member.id())
                .param("roles", roles.toArray(String[]::new))
                .param("requestId", requestId)
                .update();
        if (restored == 1) {
            publish(member.id(), new MemberRestored(member.id(), member.guildId(), roles));
        }
    }

    Member find(UUID id) {
        return jdbc.sql(FIND)
                .param("id", id)
                .query(Members::member)
                .optional()
                .orElseThrow(() -> new NotFoundException("member", id));
    }

    private static Member member(ResultSet row, int number) throws SQLException {
        return new Member(
                row.getObject("id", UUID.class),
                row.getString("guild_id"),
                row.getString("discord_user_id"),
                row.getString("slug"),
                List.of((String[]) row.getArray("roles").getArray()));
    }

    private void publish(UUID id, MemberEvent event) {
        outbox.publish("member", id.toString(), event);
    }
}
