package dev.outbox.sample.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.outbox.EventEnvelope;
import dev.outbox.sample.Api;
import dev.outbox.sample.Envelopes;
import dev.outbox.sample.SampleTest;
import dev.outbox.sample.events.RecoveryEvent.AntiNukeTriggered;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;

/** Attacks that are answered after failures. */
@SampleTest
@Import(ScriptedGuildRoles.class)
class AntiNukeTest {

    private final String guild = "guild-" + UUID.randomUUID();

    @LocalServerPort
    private int port;

    @Autowired
    private AntiNuke antiNuke;

    @Autowired
    private ScriptedGuildRoles roles;

    private Api api;

    @BeforeEach
    void connect() {
        api = new Api(port);
    }

    @Test
    void answersAnAttackAfterFailures() {
        roles.fail("trudy", 2, () -> new IllegalStateException("no answer"));

        ResponseEntity<String> answer = report("mallory", "trudy");

        assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.ACCEPTED);
        assertThat(api.awaitPublished()).containsExactly("AntiNukeTriggered", "AntiNukeActioned");
        assertThat(roles.changedIn(guild)).containsExactly("mallory", "trudy", "mallory", "trudy", "mallory", "trudy");
        assertThat(api.<List<String>>get("/incidents/" + idIn(answer), "$.actions"))
                .containsExactly("roles removed from mallory", "roles removed from trudy");
    }

    @Test
    void answersARedeliveredAttackOnce() {
        String incident = idIn(report("mallory"));
        api.awaitPublished();

        EventEnvelope again = Envelopes.of("incident", incident, 1, "AntiNukeTriggered", "{}", Map.of());
        antiNuke.attackDetected(new AntiNukeTriggered(guild, "mass_delete", List.of("mallory")), again);

        assertThat(roles.changedIn(guild)).containsExactly("mallory");
        assertThat(api.awaitPublished()).containsExactly("AntiNukeTriggered", "AntiNukeActioned");
    }

    private ResponseEntity<String> report(String... suspects) {
        return api.post("/guilds/" + guild + "/incidents", """
                {"pattern": "mass_delete", "suspects": ["%s"]}
                """.formatted(String.join("\", \"", suspects)));
    }

    private static String idIn(ResponseEntity<String> answer) {
        return JsonPath.read(answer.getBody(), "$.id");
    }
}
