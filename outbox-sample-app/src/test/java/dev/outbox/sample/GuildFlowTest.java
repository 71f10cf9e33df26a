package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpStatus;

/** Example 3 of the event flow, and the rest of a guild's life. */
@SampleTest
class GuildFlowTest {

    @Autowired
    private Api api;

    @Test
    void installedBotHasAFreeLicense() {
        install("guild-new");
        install("guild-new");

        assertThat(api.awaitPublished()).containsExactly("BotInstalled", "LicenseGranted");
        assertThat(api.licensesOf("guild-new"))
                .singleElement()
                .satisfies((license) -> assertThat(license)
                        .containsEntry("planCode", "free")
                        .containsEntry("status", "active")
                        .containsEntry("subscriptionId", null));
    }

    @Test
    void kickedBotSuspendsLicensesAndSubscriptionsOnce() {
        install("guild-kicked");
        String subscription = api.subscribe("guild-kicked", "pro");
        api.awaitPublished();

        api.delete("/guilds/guild-kicked/bot");

        assertThat(api.awaitPublished())
                .startsWith("BotInstalled")
                .filteredOn((type) -> !type.equals("LicenseGranted"))
                .containsExactlyInAnyOrder(
                        "BotInstalled",
                        "BillingKeyIssued",
                        "SubscriptionStarted",
                        "BotKicked",
                        "LicenseSuspended",
                        "LicenseSuspended",
                        "SubscriptionSuspended");
        assertThat(api.licensesOf("guild-kicked")).extracting("status").containsExactly("suspended");
        assertThat(api.text("/subscriptions/" + subscription, "$.status")).isEqualTo("suspended");
        assertThat(api.audited())
                .filteredOn("eventType", "SubscriptionSuspended")
                .extracting("payload")
                .containsExactly(Map.of("subscription_id", subscription, "reason", "bot_kicked"));
        assertThat(api.messagesTo("user-of-guild-kicked"))
                .containsExactlyInAnyOrder("pro activated", "license suspended: bot_kicked");
        assertThat(api.messagesTo("user-1")).contains("license suspended: bot_kicked");
        assertThat(api.messagesTo("guild-kicked")).isEmpty();
    }

    @Test
    void botThatComesBackHasItsFreeLicenseBack() {
        install("guild-back");
        api.delete("/guilds/guild-back/bot");
        api.delete("/guilds/guild-back/bot");
        install("guild-back");

        assertThat(api.awaitPublished())
                .filteredOn((type) -> type.toString().startsWith("Bot"))
                .containsExactly("BotInstalled", "BotKicked", "BotInstalled");
        assertThat(api.licensesOf("guild-back")).extracting("status").containsExactly("active");
    }

    @Test
    void deletedGuildCancelsLicensesAndSubscriptions() {
        install("guild-deleted");
        String subscription = api.subscribe("guild-deleted", "team");
        api.awaitPublished();

        api.delete("/guilds/guild-deleted");
        api.delete("/guilds/guild-deleted");

        assertThat(api.awaitPublished())
                .filteredOn((type) -> !type.equals("LicenseGranted"))
                .containsExactlyInAnyOrder(
                        "BotInstalled",
                        "BillingKeyIssued",
                        "SubscriptionStarted",
                        "GuildDeleted",
                        "SubscriptionSuspended",
                        "LicenseCanceled",
                        "LicenseCanceled");
        assertThat(api.licensesOf("guild-deleted")).extracting("status").containsExactly("canceled");
        assertThat(api.text("/subscriptions/" + subscription, "$.status")).isEqualTo("canceled");
    }

    @Test
    void licenseGrantedAfterDeletionOfGuildIsSuspended() {
        install("guild-deleted-early");
        api.awaitPublished();
        api.change("pause", "handler", "licensing.subscription");
        try {
            api.subscribe("guild-deleted-early", "team");
            api.delete("/guilds/guild-deleted-early");
            await().atMost(Api.DEADLINE)
                    .untilAsserted(() -> assertThat(api.licensesOf("guild-deleted-early"))
                            .extracting("status")
                            .containsExactly("canceled"));
        } finally {
            api.change("resume", "handler", "licensing.subscription");
        }

        assertThat(api.awaitPublished()).contains("SubscriptionStarted", "LicenseSuspended");
        assertThat(api.licensesOf("guild-deleted-early"))
                .extracting("planCode", "status")
                .containsExactly(tuple("team", "suspended"));
    }

    @Test
    void changeOfOwnerIsRecorded() {
        install("guild-owned");

        api.put("/guilds/guild-owned/owner", "{\"userId\": \"user-2\"}");
        api.put("/guilds/guild-owned/owner", "{\"userId\": \"user-2\"}");

        api.awaitPublished();
        assertThat(api.audited())
                .filteredOn("eventType", "GuildOwnerChanged")
                .extracting("payload")
                .containsExactly(Map.of("guild_id", "guild-owned", "old_owner_id", "user-1", "new_owner_id", "user-2"));
    }

    @Test
    void gatewayEventsInstallAndKickOnce() {
        gateway(1, "GUILD_CREATE", "{\"id\": \"111\", \"owner_id\": \"222\", \"name\": \"Umbra\", \"large\": false}");
        gateway(2, "GUILD_CREATE", "{\"id\": \"111\", \"owner_id\": \"333\"}");
        gateway(3, "GUILD_DELETE", "{\"id\": \"111\", \"unavailable\": true}");
        assertThat(api.text("/guilds/111", "$.status")).isEqualTo("installed");
        gateway(4, "GUILD_DELETE", "{\"id\": \"111\"}");
        gateway(4, "GUILD_DELETE", "{\"id\": \"111\"}");
        gateway(5, "GUILD_DELETE", "{\"id\": \"999\"}");

        assertThat(api.awaitPublished())
                .filteredOn((type) -> !type.toString().startsWith("License"))
                .containsExactly("BotInstalled", "GuildOwnerChanged", "BotKicked");
        assertThat(api.licensesOf("111")).extracting("status").containsExactly("suspended");
    }

    /** Each event has a session, if it has a name, a position in it, and a type. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            112 | -:7:CREATE -:8:DELETE -:9:CREATE -:8:DELETE             | installed
            113 | -:7:CREATE -:8:DELETE -:9:CREATE -:8:DELETE -:10:DELETE | kicked
            114 | a:7:CREATE a:8:DELETE a:9:CREATE a:8:DELETE             | installed
            115 | a:7:CREATE a:8:DELETE a:9:CREATE a:8:DELETE a:10:DELETE | kicked
            116 | a:7:CREATE a:8:DELETE a:7:CREATE                        | kicked
            117 | a:90:CREATE b:2:DELETE                                  | kicked
            118 | -:90:CREATE -:2:CREATE -:3:DELETE                       | kicked
            """)
    void repeatedGatewayEventIsOlderThanThoseOfItsSession(String guild, String events, String status) {
        for (String event : events.split(" ")) {
            String[] parts = event.split(":");
            String session = parts[0].equals("-") ? "" : "\"session_id\": \"%s\", ".formatted(parts[0]);
            String data = "{\"id\": \"%s\", \"owner_id\": \"222\"}".formatted(guild);
            gateway(session, Integer.parseInt(parts[1]), "GUILD_" + parts[2], data);
        }

        assertThat(api.text("/guilds/" + guild, "$.status")).isEqualTo(status);
    }

    private void gateway(int sequence, String type, String data) {
        gateway("", sequence, type, data);
    }

    private void gateway(String session, int sequence, String type, String data) {
        String event = "{\"op\": 0, %s\"s\": %d, \"t\": \"%s\", \"d\": %s}".formatted(session, sequence, type, data);
        assertThat(api.post("/discord/events", event).getStatusCode()).isEqualTo(HttpStatus.NO_CONTENT);
    }

    private void install(String guildId) {
        api.create("/guilds", """
                {"guildId": "%s", "installerUserId": "user-1"}
                """.formatted(guildId), "$.id");
    }
}
