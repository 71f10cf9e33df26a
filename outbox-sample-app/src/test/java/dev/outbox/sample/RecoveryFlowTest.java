package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpStatus;

/** Snapshots, restores and attacks. */
@SampleTest
class RecoveryFlowTest {

    @Autowired
    private Api api;

    @Test
    void newestSnapshotsAreKept() {
        String first = snapshot("guild-snapshots");
        for (int more = 1; more <= 3; more++) {
            snapshot("guild-snapshots");
        }

        assertThat(api.awaitPublished())
                .containsExactly(
                        "SnapshotCreated", "SnapshotCreated", "SnapshotCreated", "SnapshotCreated", "SnapshotDeleted");
        assertThat(api.get("/snapshots/" + first).getStatusCode()).isEqualTo(HttpStatus.NOT_FOUND);
    }

    @Test
    void snapshotHoldsTheRolesThatARestoreBringsBack() {
        String snapshot = snapshot("guild-lost-role", "admin", "guest");
        assertThat(api.<List<String>>get("/snapshots/" + snapshot, "$.roles")).containsExactly("admin", "guest");
        api.delete("/guilds/guild-lost-role/roles/admin");
        assertThat(rolesOf("guild-lost-role")).containsExactly("guest");

        api.create("/snapshots/" + snapshot + "/restores", "", "$.id");

        api.awaitPublished();
        assertThat(rolesOf("guild-lost-role")).containsExactly("admin", "guest");
    }

    @Test
    void snapshotThatCannotBeReadIsAProblem() {
        api.install("guild-dark");
        api.gateway("discord", "DOWN");
        assertThat(api.post("/guilds/guild-dark/snapshots", "{\"trigger\": \"manual\"}")
                        .getStatusCode())
                .isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
    }

    @Test
    void restoreIsAnnouncedFromStartToEnd() {
        String snapshot = snapshot("guild-restored", "admin", "moderator");

        String job = api.create("/snapshots/" + snapshot + "/restores", "", "$.id");

        assertThat(api.awaitPublished()).containsExactly("SnapshotCreated", "RestoreStarted", "RestoreCompleted");
        assertThat(api.find("/restores/" + job))
                .containsEntry("status", "completed")
                .containsEntry("summary", "2 roles restored");
        assertThat(api.messagesTo("guild-restored"))
                .containsExactlyInAnyOrder(
                        "restore of snapshot " + snapshot + " started", "restore completed: 2 roles restored");
    }

    @Test
    void restoreThatFailsSaysWhy() {
        String snapshot = snapshot("guild-lost");

        String job = api.create("/snapshots/" + snapshot + "/restores", "", "$.id");

        assertThat(api.awaitPublished()).containsExactly("SnapshotCreated", "RestoreStarted", "RestoreFailed");
        assertThat(api.text("/restores/" + job, "$.status")).isEqualTo("failed");
        assertThat(api.messagesTo("guild-lost")).contains("restore failed: the snapshot holds no roles");
    }

    @Test
    void attackIsReportedAndAnswered() {
        api.create("/guilds/guild-attacked/incidents", """
                {"pattern": "mass_channel_delete", "suspects": ["mallory", "trudy"]}
                """, "$.id");

        assertThat(api.awaitPublished()).containsExactly("AntiNukeTriggered", "AntiNukeActioned");
        assertThat(api.messagesTo("guild-attacked"))
                .containsExactlyInAnyOrder(
                        "URGENT: mass_channel_delete by mallory, trudy",
                        "answer to the attack: roles removed from mallory, roles removed from trudy");
        assertThat(api.audited())
                .filteredOn("eventType", "AntiNukeTriggered")
                .extracting("payload")
                .containsExactly(Map.of(
                        "guild_id",
                        "guild-attacked",
                        "detected_pattern",
                        "mass_channel_delete",
                        "suspects",
                        List.of("mallory", "trudy")));
    }

    @Test
    void ownerOfTheGuildIsTold() {
        api.create("/guilds", "{\"guildId\": \"guild-sold\", \"installerUserId\": \"seller\"}", "$.id");
        api.put("/guilds/guild-sold/owner", "{\"userId\": \"buyer\"}");
        api.awaitPublished();

        api.create("/snapshots/" + snapshot("guild-sold", "admin") + "/restores", "", "$.id");

        api.awaitPublished();
        assertThat(api.messagesTo("buyer")).contains("restore completed: 1 roles restored");
        assertThat(api.messagesTo("guild-sold")).isEmpty();
    }

    private String snapshot(String guildId, String... roles) {
        api.install(guildId);
        for (String role : roles) {
            api.put("/guilds/" + guildId + "/roles/" + role, "");
        }
        return api.create("/guilds/" + guildId + "/snapshots", "{\"trigger\": \"manual\"}", "$.id");
    }

    private List<String> rolesOf(String guildId) {
        return api.get("/guilds/" + guildId + "/roles", "$[*].role");
    }
}
