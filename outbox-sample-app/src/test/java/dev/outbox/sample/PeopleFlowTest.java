package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Members of guilds, and users of the service. */
@SampleTest
class PeopleFlowTest {

    @LocalServerPort
    private int port;

    @Autowired
    private JdbcClient jdbc;

    private Api api;

    @BeforeEach
    void connect() {
        api = new Api(port);
    }

    @Test
    void memberJoinsOnceAndGetsRolesBack() {
        api.install("guild-joined");
        String member = join();
        assertThat(join()).isEqualTo(member);

        api.put("/members/" + member + "/roles", "{\"roles\": [\"admin\"]}");

        assertThat(api.awaitPublished()).containsExactly("MemberJoinedViaWebJoin", "MemberRestored");
        assertThat(api.<List<String>>get("/members/" + member, "$.roles")).containsExactly("admin");
        assertThat(api.audited())
                .extracting("payload")
                .containsExactly(
                        Map.of("member_id", member, "guild_id", "guild-joined", "slug", "welcome"),
                        Map.of("member_id", member, "guild_id", "guild-joined", "restored_roles", List.of("admin")));
    }

    @Test
    void memberJoinsNoGuildWithoutTheBot() {
        String cat = "{\"discordUserId\": \"cat\", \"slug\": \"welcome\"}";
        assertThat(api.post("/guilds/guild-nowhere/members", cat).getStatusCode())
                .isEqualTo(HttpStatus.NOT_FOUND);

        api.install("guild-left");
        api.delete("/guilds/guild-left/bot");

        assertThat(api.post("/guilds/guild-left/members", cat).getStatusCode()).isEqualTo(HttpStatus.CONFLICT);
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

    private String join() {
        return api.create("/guilds/guild-joined/members", """
                {"discordUserId": "discord-3", "slug": "welcome"}
                """, "$.id");
    }
}
