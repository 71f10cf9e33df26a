package dev.outbox.sample.member;

import dev.outbox.OutboxPublisher;
import dev.outbox.sample.discord.Bot;
import dev.outbox.sample.events.MemberEvent;
import dev.outbox.sample.events.MemberEvent.MemberJoinedViaWebJoin;
import dev.outbox.sample.events.MemberEvent.MemberRestored;
import dev.outbox.sample.web.Name;
import dev.outbox.sample.web.NotFoundException;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Members over HTTP: they join through the page of a guild, and get their roles back. */
@RestController
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
    @PostMapping("/guilds/{guildId}/members")
    @ResponseStatus(HttpStatus.CREATED)
    Member join(@PathVariable @Name String guildId, @Valid @RequestBody Join request) {
        bot.requireIn(guildId);
        UUID id = UUID.randomUUID();
        int joined = jdbc.sql(JOIN)
                .param("id", id)
                .param("guildId", guildId)
                .param("discordUserId", request.discordUserId())
                .param("slug", request.slug())
                .update();
        if (joined == 1) {
            publish(id, new MemberJoinedViaWebJoin(id, guildId, request.slug()));
        }
        return jdbc.sql(FIND_IN_GUILD)
                .param("guildId", guildId)
                .param("discordUserId", request.discordUserId())
                .query(Members::member)
                .single();
    }

    /** Asks for roles to be given back to a member. */
    @Transactional
    @PutMapping("/members/{id}/roles")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Member requestRestore(@PathVariable UUID id, @Valid @RequestBody Restore request) {
        Member member = find(id);
        outbox.publish("member_restore", id.toString(), new MemberRestoreRequested(request.roles()));
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

    @GetMapping("/members/{id}")
    Member find(@PathVariable UUID id) {
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

    record Join(@Name String discordUserId, @Name String slug) {}

    record Restore(@NotEmpty List<@NotNull @Pattern(regexp = "\\P{Cntrl}{1,100}") String> roles) {}
}
