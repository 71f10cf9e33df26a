package dev.outbox.sample.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import com.jayway.jsonpath.JsonPath;
import dev.outbox.NonRetryableException;
import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;

/** Restores that fail, die or are refused in the middle. */
@Tag("full")
@SampleTest
@AutoConfigureOutbox(database = TestDatabase.CONFIGURED)
@Import(ScriptedGuildRoles.class)
class RestoreWorkflowTest {

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
        api.install(guild);
    }

    @Test
    void resumesAfterTheLastRecordedStep() {
        roles.fail("resumed", 3, () -> new IllegalStateException("no answer"));

        String job = restore(snapshot("admin", "resumed", "guest"));

        drainWithRetries();
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
        api.create("/actuator/outbox/retry", """
                {"selection": "handler=recovery.restore&aggregateId=%s&status=DEAD",
                 "actor": "ann", "reason": "the guild system is up again"}
                """.formatted(job), "$");

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
    void acceptsTheRequestBeforeTheRestoreEnds() {
        ResponseEntity<String> answer = api.post("/snapshots/" + snapshot("awaited") + "/restores", "");
        String job = JsonPath.read(answer.getBody(), "$.id");

        assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.ACCEPTED);
        assertThat(JsonPath.<String>read(answer.getBody(), "$.status")).isEqualTo("running");
        assertThat(api.text("/restores/" + job, "$.status")).isEqualTo("running");

        outbox.drain();
        assertThat(api.text("/restores/" + job, "$.status")).isEqualTo("completed");
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
    void redeliveryAfterTheEndChangesNothing() {
        String snapshot = snapshot("admin");
        restore(snapshot);
        outbox.drain();

        outbox.verifyIdempotent("recovery.restore");

        assertThat(roles.changedIn(guild)).containsExactly("admin");
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
}
