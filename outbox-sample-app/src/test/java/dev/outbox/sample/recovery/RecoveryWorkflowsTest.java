package dev.outbox.sample.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import com.jayway.jsonpath.JsonPath;
import dev.outbox.NonRetryableException;
import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import dev.outbox.sample.events.RecoveryEvent.AntiNukeActioned;
import dev.outbox.sample.events.RecoveryEvent.AntiNukeTriggered;
import dev.outbox.sample.events.RecoveryEvent.RestoreStarted;
import dev.outbox.test.DrainResult;
import dev.outbox.test.OutboxTester;
import dev.outbox.test.StoredEvent;
import dev.outbox.test.autoconfigure.AutoConfigureOutbox;
import dev.outbox.test.autoconfigure.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;

/** Restores and answers to attacks that fail, are refused or given up in the middle. */
@SampleTest
@AutoConfigureOutbox(database = TestDatabase.CONFIGURED)
@Import(ScriptedGuildRoles.class)
class RecoveryWorkflowsTest {

    private final String guild = "guild-" + UUID.randomUUID();

    @Autowired
    private Api api;

    @Autowired
    private ScriptedGuildRoles roles;

    @Autowired
    private OutboxTester outbox;

    @BeforeEach
    void install() {
        api.install(guild);
    }

    @Test
    void resumesAfterTheLastRecordedStep() {
        roles.fail("resumed", 3, () -> new IllegalStateException("no answer"));

        String job = restore(snapshot("admin", "resumed", "guest"));

        drainWithRetries();
        outbox.verifyIdempotent("recovery.restore");
        assertThat(publishedTypes()).containsExactly("SnapshotCreated", "RestoreStarted", "RestoreCompleted");
        assertThat(api.find("/restores/" + job))
                .contains(entry("status", "completed"), entry("summary", "3 roles restored"));
        assertThat(roles.changedIn(guild))
                .containsExactly("admin", "resumed", "resumed", "resumed", "resumed", "guest");
    }

    @Test
    void failsWhenARoleIsRefused() {
        roles.fail("refused", 1, () -> new NonRetryableException("the bot may not create roles"));

        String job = restore(snapshot("admin", "refused", "guest"));

        drainWithRetries();
        assertThat(publishedTypes()).containsExactly("SnapshotCreated", "RestoreStarted", "RestoreFailed");
        assertThat(api.find("/restores/" + job))
                .contains(entry("status", "failed"), entry("summary", "the bot may not create roles"));
        assertThat(roles.changedIn(guild)).containsExactly("admin", "refused");
    }

    @Test
    void retryResumesARestoreThatWasGivenUp() {
        roles.fail("restored-late", Integer.MAX_VALUE, () -> new IllegalStateException("no answer"));
        String job = restore(snapshot("admin", "restored-late"));
        drainWithRetries();
        assertThat(api.text("/restores/" + job, "$.status")).isEqualTo("failed");
        assertThat(api.text("/restores/" + job, "$.summary")).isEqualTo("given up, IllegalStateException: no answer");
        assertThat(outbox).published(RestoreStarted.class).isDead().afterAttempts(8);

        roles.fail("restored-late", 0, () -> new IllegalStateException("no answer"));
        api.operate("retry", "handler=recovery.restore&status=DEAD&aggregateId=" + job);

        outbox.drain();
        assertThat(publishedTypes())
                .containsExactly("SnapshotCreated", "RestoreStarted", "RestoreFailed", "RestoreCompleted");
        assertThat(api.find("/restores/" + job))
                .contains(entry("status", "completed"), entry("summary", "2 roles restored"));
        assertThat(roles.changedIn(guild))
                .startsWith("admin")
                .filteredOn("admin"::equals)
                .hasSize(1);
    }

    @Test
    void survivesTheDeletionOfItsSnapshot() {
        String snapshot = snapshot("displaced", "guest");
        String job = restore(snapshot);

        for (int newer = 1; newer <= 3; newer++) {
            snapshot("guest");
        }
        assertThat(api.get("/snapshots/" + snapshot).getStatusCode()).isEqualTo(HttpStatus.NOT_FOUND);

        outbox.drain();
        assertThat(api.text("/restores/" + job, "$.summary")).isEqualTo("2 roles restored");
    }

    @Test
    void answersAnAttackAfterFailures() {
        roles.fail("trudy", 2, () -> new IllegalStateException("no answer"));

        ResponseEntity<String> answer = report("mallory", "trudy");

        assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.ACCEPTED);
        drainWithRetries();
        outbox.verifyIdempotent("recovery.anti-nuke").drain();
        assertPublished();
        assertThat(roles.changedIn(guild)).containsExactly("mallory", "trudy", "mallory", "trudy", "mallory", "trudy");
        assertThat(api.<List<String>>get("/incidents/" + idIn(answer), "$.actions"))
                .containsExactly("roles removed from mallory", "roles removed from trudy");
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
        api.operate("retry", "handler=recovery.anti-nuke&status=DEAD&aggregateId=" + incident);

        drainWithRetries();
        assertMessage("answer to the attack: roles removed from oscar, roles removed from peggy");
        assertThat(actionsOf(incident)).containsExactly("roles removed from oscar", "roles removed from peggy");
    }

    private String restore(String snapshotId) {
        return api.create("/snapshots/" + snapshotId + "/restores", "", "$.id");
    }

    private String snapshot(String... names) {
        roles.hold(guild, names);
        return api.create("/guilds/" + guild + "/snapshots", "{\"trigger\": \"manual\"}", "$.id");
    }

    private void drainWithRetries() {
        DrainResult result = outbox.drain();
        while (result.retried() > 0) {
            result = outbox.advance(Duration.ofMinutes(1)).drain();
        }
    }

    private List<String> publishedTypes() {
        return outbox.events().stream()
                .filter((event) -> event.status() == StoredEvent.Status.PUBLISHED)
                .filter((event) -> List.of("snapshot", "restore_job")
                        .contains(event.envelope().aggregateType()))
                .map((event) -> event.envelope().eventType())
                .toList();
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
