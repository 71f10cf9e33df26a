package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Members of guilds, and users of the service. */
@SampleTest
class PeopleFlowTest {

    @Autowired
    private Api api;

    @Autowired
    private JdbcClient jdbc;

    @Test
    void memberJoinsOnceAndGetsRolesBack() {
        String member = join("guild-joined");
        assertThat(join("guild-joined")).isEqualTo(member);

        api.put("/guilds/guild-joined/roles/admin", "");

        assertThat(restore(member).getStatusCode()).isEqualTo(HttpStatus.ACCEPTED);

        assertThat(api.awaitPublished())
                .containsExactly("MemberJoinedViaWebJoin", "MemberRestoreRequested", "MemberRestored");
        assertThat(api.<List<String>>get("/members/" + member, "$.roles")).containsExactly("admin");
        assertThat(api.<List<String>>get("/guilds/guild-joined/members/discord-3/roles", "$"))
                .containsExactly("admin");
        assertThat(api.audited())
                .filteredOn((entry) -> !entry.get("eventType").equals("MemberRestoreRequested"))
                .extracting("payload")
                .containsExactly(
                        Map.of("member_id", member, "guild_id", "guild-joined", "slug", "welcome"),
                        Map.of("member_id", member, "guild_id", "guild-joined", "restored_roles", List.of("admin")));
    }

    @Test
    void restoreOfAMemberOutlivesAnOutage() {
        String member = join("guild-dark");
        api.put("/guilds/guild-dark/roles/admin", "");
        api.gateway("discord", "LOSE_ANSWER");
        restore(member);
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.events())
                        .filteredOn("eventType", "MemberRestoreRequested")
                        .extracting("lastErrorCode")
                        .containsExactly("GatewayException"));
        assertThat(api.<List<String>>get("/members/" + member, "$.roles")).isEmpty();
        api.gateway("discord", "NONE");

        assertThat(api.awaitPublished()).filteredOn("MemberRestored"::equals).hasSize(1);
        assertThat(api.<List<String>>get("/members/" + member, "$.roles")).containsExactly("admin");
    }

    @Test
    void redeliveredRestoreOfAMemberIsPublishedOnce() {
        String member = join("guild-repeated");
        api.put("/guilds/guild-repeated/roles/admin", "");
        restore(member);
        api.awaitPublished();

        api.replay("handler=member.restore&aggregateType=member_restore&aggregateId=" + member);

        assertThat(api.awaitPublished()).filteredOn("MemberRestored"::equals).hasSize(1);
    }

    @Test
    void memberJoinsNoGuildWithoutTheBot() {
        api.install("guild-left");
        api.delete("/guilds/guild-left/bot");

        assertThat(api.post("/guilds/guild-left/members", "{\"discordUserId\": \"cat\", \"slug\": \"welcome\"}")
                        .getStatusCode())
                .isEqualTo(HttpStatus.CONFLICT);
    }

    @Test
    void sessionsAreMaskedWhereverTheyAreStored() {
        String user = api.create("/users", "{\"discordUserId\": \"discord-1\"}", "$.id");
        String session = api.create("/users/" + user + "/sessions", "", "$.id");

        assertThat(api.awaitPublished()).containsExactly("UserRegistered", "UserSessionCreated");
        assertThat(api.audited())
                .extracting("payload")
                .containsExactly(
                        Map.of("user_id", user, "discord_user_id", "discord-1"),
                        Map.of("user_id", user, "session_id", "****" + session.substring(session.length() - 4)));
        String event = api.events().get(1).get("eventId").toString();
        assertThat(api.<String>get("/events/" + event, "$.payload.session_id"))
                .isEqualTo("****" + session.substring(session.length() - 4));
        assertThat(jdbc.sql("SELECT count(*) FROM events.outbox WHERE payload::text || headers::text LIKE :session")
                        .param("session", "%" + session + "%")
                        .query(Integer.class)
                        .single())
                .isZero();
    }

    @Test
    void userRegistersOnce() {
        api.create("/users", "{\"discordUserId\": \"discord-2\"}", "$.id");

        assertThat(api.post("/users", "{\"discordUserId\": \"discord-2\"}").getStatusCode())
                .isEqualTo(HttpStatus.CONFLICT);
        assertThat(api.awaitPublished()).containsExactly("UserRegistered");
    }

    private ResponseEntity<String> restore(String member) {
        return api.put("/members/" + member + "/roles", "{\"roles\": [\"admin\"]}");
    }

    private String join(String guildId) {
        api.install(guildId);
        return api.create("/guilds/" + guildId + "/members", """
                {"discordUserId": "discord-3", "slug": "welcome"}
                """, "$.id");
    }
}
