package dev.outbox.sample.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import dev.outbox.NonRetryableException;
import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import dev.outbox.sample.events.RecoveryEvent.AntiNukeActioned;
import dev.outbox.sample.events.RecoveryEvent.AntiNukeTriggered;
import dev.outbox.test.DrainResult;
import dev.outbox.test.OutboxTester;
import dev.outbox.test.autoconfigure.AutoConfigureOutbox;
import dev.outbox.test.autoconfigure.TestDatabase;
import java.time.Duration;
import java.util.List;
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
@AutoConfigureOutbox(database = TestDatabase.CONFIGURED)
@Import(ScriptedGuildRoles.class)
class AntiNukeTest {

    private final String guild = "guild-" + UUID.randomUUID();

    @LocalServerPort
    private int port;

    @Autowired
    private ScriptedGuildRoles roles;

    @Autowired
    private OutboxTester outbox;

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
        drainWithRetries();
        assertPublished();
        assertThat(roles.changedIn(guild)).containsExactly("mallory", "trudy", "mallory", "trudy", "mallory", "trudy");
        assertThat(api.<List<String>>get("/incidents/" + idIn(answer), "$.actions"))
                .containsExactly("roles removed from mallory", "roles removed from trudy");
    }

    @Test
    void answersARedeliveredAttackOnce() {
        report("mallory");
        outbox.drain();

        outbox.verifyIdempotent("recovery.anti-nuke").drain();
        assertThat(roles.changedIn(guild)).containsExactly("mallory");
        assertPublished();
    }

    @Test
    void untouchableSuspectDoesNotProtectTheOthers() {
        roles.fail("admin", 1, () -> new NonRetryableException("the bot may not touch admins"));

        String incident = idIn(report("admin", "mallory"));

        outbox.drain();
        assertPublished();
        assertThat(roles.changedIn(guild)).containsExactly("admin", "mallory");
        assertThat(actionsOf(incident)).containsExactly("roles of admin not removed", "roles removed from mallory");
    }

    @Test
    void answerThatIsGivenUpIsReportedAndCanBeRetried() {
        roles.fail("oscar", Integer.MAX_VALUE, () -> new IllegalStateException("no answer"));
        String incident = idIn(report("oscar", "peggy"));

        drainWithRetries();
        assertThat(outbox).published(AntiNukeTriggered.class).isDead();
        assertMessage("answer to the attack: removal of the roles of oscar not confirmed, "
                + "removal of the roles of peggy not confirmed");
        assertThat(roles.changedIn(guild)).contains("peggy");
        assertThat(actionsOf(incident)).isEmpty();

        roles.fail("oscar", 0, () -> new IllegalStateException("no answer"));
        api.create("/actuator/outbox/retry", """
                {"selection": "handler=recovery.anti-nuke&aggregateId=%s&status=DEAD",
                 "actor": "ann", "reason": "the guild system is up again"}
                """.formatted(incident), "$");

        drainWithRetries();
        assertMessage("answer to the attack: roles removed from oscar, roles removed from peggy");
        assertThat(actionsOf(incident)).containsExactly("roles removed from oscar", "roles removed from peggy");
    }

    private void drainWithRetries() {
        DrainResult result = outbox.drain();
        while (result.retried() > 0) {
            result = outbox.advance(Duration.ofMinutes(1)).drain();
        }
    }

    private void assertPublished() {
        assertThat(outbox).isDrained().published(AntiNukeTriggered.class).times(1);
        assertThat(outbox).published(AntiNukeActioned.class).times(1);
    }

    private void assertMessage(String message) {
        assertThat(api.messagesTo(guild)).contains(message);
    }

    private List<String> actionsOf(String incident) {
        return api.get("/incidents/" + incident, "$.actions");
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
