package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Example 2 of the event flow: a payment that fails until the subscription is canceled, and a bank that does not answer. */
@SampleTest
class PaymentFailureFlowTest {

    @Autowired
    private Api api;

    @Autowired
    private JdbcClient jdbc;

    @Test
    void fourthFailureCancelsSubscriptionAndDowngradesLicense() {
        String subscription = subscriptionWhoseBankDeclines("guild-broke");

        List<String> messages = new ArrayList<>();
        for (int failure = 1; failure <= 3; failure++) {
            api.makeDue(subscription);
            Instant nextCharge = Instant.parse(api.text("/subscriptions/" + subscription, "$.nextChargeAt"));
            messages.add("payment failed, next attempt on " + nextCharge.truncatedTo(ChronoUnit.SECONDS));
            assertThat(api.find("/subscriptions/" + subscription))
                    .containsEntry("status", "past_due")
                    .containsEntry("retryCount", failure);
        }
        api.makeDue(subscription);

        assertThat(api.awaitPublished())
                .containsSubsequence(
                        "SubscriptionStarted",
                        "PaymentFailed",
                        "PaymentFailed",
                        "PaymentFailed",
                        "PaymentFailedFinal",
                        "LicenseDowngraded")
                .hasSize(8);
        assertThat(api.text("/subscriptions/" + subscription, "$.status")).isEqualTo("canceled");
        assertThat(api.licensesOf("guild-broke"))
                .singleElement()
                .satisfies((license) -> assertThat(license)
                        .containsEntry("planCode", "free")
                        .containsEntry("status", "active")
                        .containsEntry("expiresAt", null));
        assertThat(api.messagesTo("user-of-guild-broke"))
                .hasSize(6)
                .containsAll(messages)
                .contains(
                        "pro activated",
                        "subscription canceled, because it was not paid",
                        "license downgraded from pro to free");
        assertThat(retryCounts()).containsExactly(1, 2, 3);
    }

    @Test
    void subscriptionThatIsOverIsNotCharged() {
        String subscription = api.subscribe("guild-over", "pro");
        api.delete("/subscriptions/" + subscription + "?atPeriodEnd=false");

        api.makeDue(subscription);

        assertThat(api.awaitPublished()).doesNotContain("PaymentSucceeded", "PaymentFailed");
    }

    @Test
    void subscriptionThatIsNotDueIsNotCharged() {
        String subscription = api.subscribe("guild-early", "pro");

        api.create("/subscriptions/" + subscription + "/charges", "", "$.status");

        assertThat(api.awaitPublished()).doesNotContain("PaymentSucceeded");
    }

    @Test
    void declinedFirstPaymentStartsNothing() {
        api.install("guild-poor");
        api.gateway("bank", "DECLINE");

        ResponseEntity<String> answer = api.post("/subscriptions", """
                {"guildId": "guild-poor", "planCode": "pro", "userId": "user-1"}
                """);

        assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.PAYMENT_REQUIRED);
        assertThat(answer.getBody()).contains("declined", "canceled");
        assertThat(api.awaitPublished()).containsExactly("BillingKeyIssued");
    }

    @Test
    void paymentWhoseAnswerWasLostIsCollectedOnce() {
        String subscription = api.subscribe("guild-unsure", "pro");
        api.gateway("bank", "LOSE_ANSWER");

        assertUnanswered(subscription);
        assertUnanswered(subscription);
        api.gateway("bank", "DECLINE");

        assertThat(api.makeDue(subscription)).containsEntry("status", "active").containsEntry("retryCount", 0);
        assertThat(paymentsOf(subscription)).containsExactly("paid 1", "paid 3");
        assertThat(api.awaitPublished()).containsOnlyOnce("PaymentSucceeded").doesNotContain("PaymentFailed");
    }

    @Test
    void upgradeAppliesOnceItsDifferenceIsPaid() {
        String subscription = api.subscribe("guild-rising", "pro");
        api.gateway("bank", "DECLINE");
        assertThat(upgrade(subscription).getStatusCode()).isEqualTo(HttpStatus.PAYMENT_REQUIRED);
        api.gateway("bank", "LOSE_ANSWER");
        assertThat(upgrade(subscription).getStatusCode()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
        assertThat(upgrade(subscription).getStatusCode()).isEqualTo(HttpStatus.CONFLICT);
        assertThat(api.text("/subscriptions/" + subscription, "$.planCode")).isEqualTo("pro");
        api.gateway("bank", "NONE");

        assertThat(api.makeDue(subscription)).containsEntry("planCode", "team");

        assertThat(paymentsOf(subscription)).containsExactly("paid 1", "declined 1", "paid 2");
        assertThat(api.awaitPublished())
                .containsExactlyInAnyOrder("BillingKeyIssued", "SubscriptionStarted", "LicenseGranted", "PlanUpgraded");
        assertThat(api.licensesOf("guild-rising")).extracting("planCode").containsExactly("team");
    }

    private ResponseEntity<String> upgrade(String subscription) {
        return api.put("/subscriptions/" + subscription + "/plan", "{\"planCode\": \"team\"}");
    }

    private void assertUnanswered(String subscription) {
        ResponseEntity<String> answer = api.post("/demo/subscriptions/" + subscription + "/due", "");

        assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
        assertThat(answer.getHeaders().getContentType()).isEqualTo(MediaType.APPLICATION_PROBLEM_JSON);
        assertThat(answer.getBody()).contains("of subscription " + subscription + " will be repeated");
        assertThat(api.text("/subscriptions/" + subscription, "$.status")).isEqualTo("active");
    }

    /** The bank's answers to the charges of a subscription, and how often it was asked. */
    private List<String> paymentsOf(String subscription) {
        return jdbc.sql("""
                        SELECT collection.status || ' ' || requests
                          FROM billing.simulated_collections collection
                          JOIN billing.charges charge ON charge.id = charge_id
                         WHERE subscription_id = CAST(:id AS uuid)
                         ORDER BY answered_at
                        """).param("id", subscription).query(String.class).list();
    }

    private String subscriptionWhoseBankDeclines(String guildId) {
        String subscription = api.subscribe(guildId, "pro");
        api.gateway("bank", "DECLINE");
        return subscription;
    }

    private List<Object> retryCounts() {
        return api.audited().stream()
                .filter((entry) -> entry.get("eventType").equals("PaymentFailed"))
                .map((entry) -> ((Map<?, ?>) entry.get("payload")).get("retry_count"))
                .map(Object.class::cast)
                .toList();
    }
}
