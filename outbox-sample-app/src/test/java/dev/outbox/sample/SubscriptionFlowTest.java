package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;

/** Example 1 of the event flow, and what else users do with their subscriptions. */
@SampleTest
class SubscriptionFlowTest {

    @Autowired
    private Api api;

    @Test
    void firstSubscriptionIsLicensedAnnouncedAndAudited() {
        String subscription = api.subscribe("guild-flow", "pro");

        assertThat(api.awaitPublished()).containsExactly("BillingKeyIssued", "SubscriptionStarted", "LicenseGranted");
        assertThat(api.find("/subscriptions/" + subscription))
                .containsEntry("status", "active")
                .containsEntry("planCode", "pro");
        Map<String, Object> license = api.licensesOf("guild-flow").get(0);
        assertThat(license)
                .containsEntry("subscriptionId", subscription)
                .containsEntry("planCode", "pro")
                .containsEntry("status", "active");
        assertThat(api.messagesTo("user-of-guild-flow")).containsExactly("pro activated");
        assertThat(api.audited())
                .extracting("eventType", "payload")
                .contains(
                        tuple(
                                "SubscriptionStarted",
                                Map.of("subscription_id", subscription, "guild_id", "guild-flow", "plan_code", "pro")),
                        tuple(
                                "LicenseGranted",
                                Map.of("license_id", license.get("id"), "guild_id", "guild-flow", "plan_code", "pro")));
    }

    @Test
    void eventsEndAsPublished() {
        String subscription = api.subscribe("guild-published", "pro");

        api.awaitPublished();

        assertThat(api.events())
                .filteredOn("aggregate", "subscription/" + subscription)
                .singleElement()
                .satisfies((event) -> assertThat(event)
                        .containsEntry("eventType", "SubscriptionStarted")
                        .containsEntry("aggregateSeq", 1)
                        .containsEntry("retryCount", 0)
                        .hasEntrySatisfying(
                                "publishedAt", (time) -> assertThat(time).isNotNull()));
    }

    @Test
    void paymentExtendsTheLicense() {
        String subscription = api.subscribe("guild-renewal", "pro");
        api.awaitPublished();
        String granted = (String) api.licensesOf("guild-renewal").get(0).get("expiresAt");

        String periodEnd = (String) api.makeDue(subscription).get("periodEnd");

        assertThat(api.awaitPublished()).endsWith("PaymentSucceeded", "LicenseExtended");
        assertThat(api.licensesOf("guild-renewal"))
                .singleElement()
                .satisfies((license) -> assertThat((String) license.get("expiresAt"))
                        .isEqualTo(periodEnd)
                        .isGreaterThan(granted));
    }

    @Test
    void upgradeAppliesAtOnceAndDowngradeLater() {
        String subscription = api.subscribe("guild-plans", "pro");

        api.put("/subscriptions/" + subscription + "/plan", "{\"planCode\": \"team\"}");
        api.put("/subscriptions/" + subscription + "/plan", "{\"planCode\": \"basic\"}");
        api.put("/subscriptions/" + subscription + "/plan", "{\"planCode\": \"basic\"}");

        assertThat(api.awaitPublished())
                .containsExactlyInAnyOrder(
                        "BillingKeyIssued", "SubscriptionStarted", "LicenseGranted", "PlanUpgraded", "PlanDowngraded");
        assertThat(api.licensesOf("guild-plans")).extracting("planCode").containsExactly("team");
        assertThat(api.messagesTo("user-of-guild-plans"))
                .hasSize(3)
                .contains("upgraded from pro to team")
                .anyMatch((message) -> message.startsWith("to be downgraded from team to basic on "));
        assertThat(api.find("/subscriptions/" + subscription))
                .containsEntry("planCode", "team")
                .containsEntry("nextPlanCode", "basic");

        api.makeDue(subscription);

        assertThat(api.awaitPublished()).contains("PaymentSucceeded", "LicenseDowngraded", "LicenseExtended");
        assertThat(api.text("/subscriptions/" + subscription, "$.planCode")).isEqualTo("basic");
        assertThat(api.licensesOf("guild-plans")).extracting("planCode").containsExactly("basic");
        assertThat(api.messagesTo("user-of-guild-plans")).contains("license downgraded from team to basic");
    }

    @Test
    void cancellationIsConfirmed() {
        String subscription = api.subscribe("guild-canceled", "pro");

        api.delete("/subscriptions/" + subscription);
        api.delete("/subscriptions/" + subscription);
        api.delete("/subscriptions/" + subscription + "?atPeriodEnd=false");

        assertThat(api.awaitPublished())
                .contains("SubscriptionSuspended", "LicenseCanceled")
                .filteredOn("SubscriptionCanceled"::equals)
                .hasSize(2);
        assertThat(api.messagesTo("user-of-guild-canceled"))
                .containsExactlyInAnyOrder(
                        "pro activated", "subscription canceled, for the end of its period", "subscription canceled");
        assertThat(api.licensesOf("guild-canceled"))
                .extracting("planCode", "status")
                .containsExactly(tuple("free", "active"));
        assertThat(api.text("/subscriptions/" + subscription, "$.status")).isEqualTo("canceled");
        assertProblem(api.delete("/subscriptions/" + subscription), HttpStatus.CONFLICT);
    }

    @Test
    void licenseEndsWithLastPeriodOfCanceledSubscription() {
        String subscription = api.subscribe("guild-last", "pro");
        api.delete("/subscriptions/" + subscription);
        api.awaitPublished();
        assertThat(api.licensesOf("guild-last"))
                .extracting("planCode", "status")
                .containsExactly(tuple("pro", "active"));

        assertThat(api.makeDue(subscription)).containsEntry("status", "canceled");

        assertThat(api.awaitPublished()).endsWith("SubscriptionSuspended", "LicenseCanceled");
        assertThat(api.licensesOf("guild-last"))
                .extracting("planCode", "status")
                .containsExactly(tuple("free", "active"));
        assertThat(api.messagesTo("user-of-guild-last"))
                .containsExactlyInAnyOrder("pro activated", "subscription canceled, for the end of its period");
    }

    @Test
    void deletedBillingKeySuspendsWhatItPaysFor() {
        String subscription = api.subscribe("guild-key", "pro");
        api.awaitPublished();
        String key = api.get("/subscriptions/" + subscription, "$.billingKeyId");

        api.delete("/billing-keys/" + key);
        api.delete("/billing-keys/" + key);

        assertThat(api.awaitPublished())
                .startsWith("BillingKeyIssued", "SubscriptionStarted", "LicenseGranted", "BillingKeyDeleted")
                .hasSize(6)
                .contains("LicenseSuspended", "SubscriptionSuspended");
        assertThat(api.text("/subscriptions/" + subscription, "$.status")).isEqualTo("suspended");
        assertThat(api.licensesOf("guild-key"))
                .extracting("planCode", "status")
                .containsExactly(tuple("free", "active"));
        assertThat(api.messagesTo("user-of-guild-key"))
                .containsExactlyInAnyOrder("pro activated", "license suspended: billing_key_deleted");
    }

    @Test
    void startedSubscriptionIsFoundWhereItsLocationSays() {
        api.install("guild-location");
        ResponseEntity<String> started = api.post(
                "/subscriptions", "{\"guildId\": \"guild-location\", \"planCode\": \"pro\", \"userId\": \"user-1\"}");

        assertThat(started.getStatusCode()).isEqualTo(HttpStatus.CREATED);
        ResponseEntity<String> found =
                api.get(started.getHeaders().getLocation().getPath());
        assertThat(found.getStatusCode()).isEqualTo(HttpStatus.OK);
        assertThat(found.getBody()).isEqualTo(started.getBody());
    }

    @Test
    void secondSubscriptionOfAGuildIsRefused() {
        String subscription = api.subscribe("guild-twice", "pro");

        ResponseEntity<String> second = api.post(
                "/subscriptions", "{\"guildId\": \"guild-twice\", \"planCode\": \"team\", \"userId\": \"user-2\"}");

        assertProblem(second, HttpStatus.CONFLICT);
        assertThat(second.getBody()).contains("guild guild-twice has a subscription");
        api.delete("/subscriptions/" + subscription + "?atPeriodEnd=false");
        assertThat(api.subscribe("guild-twice", "team")).isNotEqualTo(subscription);
        assertThat(api.awaitPublished())
                .filteredOn((type) -> type.equals("BillingKeyIssued") || type.equals("SubscriptionStarted"))
                .hasSize(4);
    }

    @Test
    void guildWithoutTheBotCannotSubscribe() {
        String order = "{\"guildId\": \"guild-without\", \"planCode\": \"pro\", \"userId\": \"user-1\"}";
        api.install("guild-without");
        api.delete("/guilds/guild-without/bot");

        ResponseEntity<String> kicked = api.post("/subscriptions", order);
        assertProblem(kicked, HttpStatus.CONFLICT);
        assertThat(kicked.getBody()).contains("the bot is not in guild guild-without, which is kicked");
        assertThat(api.awaitPublished()).containsExactlyInAnyOrder("BotKicked", "LicenseSuspended");
    }

    private static void assertProblem(ResponseEntity<String> answer, HttpStatus status) {
        assertThat(answer.getStatusCode()).isEqualTo(status);
        assertThat(answer.getHeaders().getContentType()).isEqualTo(MediaType.APPLICATION_PROBLEM_JSON);
    }
}
