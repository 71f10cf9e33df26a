package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpStatus;

/** Example 2 of the event flow: a payment that fails until the subscription is canceled. */
@SampleTest
class PaymentFailureFlowTest {

    @LocalServerPort
    private int port;

    private Api api;

    @BeforeEach
    void connect() {
        api = new Api(port);
    }

    @Test
    void fourthFailureCancelsSubscriptionAndDowngradesLicense() {
        String subscription = subscriptionWhoseCardDeclines("guild-broke");

        for (int failure = 1; failure <= 3; failure++) {
            api.makeDue(subscription);
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
        assertThat(api.messagesTo("guild-broke"))
                .containsExactlyInAnyOrder(
                        "pro activated",
                        "payment failed 1 times in a row, to be tried again",
                        "payment failed 2 times in a row, to be tried again",
                        "payment failed 3 times in a row, to be tried again",
                        "subscription canceled, because it was not paid",
                        "license downgraded from pro to free");
        assertThat(retryCounts()).containsExactly(1, 2, 3);
    }

    @Test
    void paymentThatSucceedsInTimeSavesTheSubscription() {
        String subscription = subscriptionWhoseCardDeclines("guild-saved");
        api.makeDue(subscription);
        declines(subscription, false);

        api.makeDue(subscription);

        assertThat(api.awaitPublished()).containsSubsequence("PaymentFailed", "PaymentSucceeded", "LicenseExtended");
        assertThat(api.find("/subscriptions/" + subscription))
                .containsEntry("status", "active")
                .containsEntry("retryCount", 0);
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

    private String subscriptionWhoseCardDeclines(String guildId) {
        String subscription = api.subscribe(guildId, "pro");
        declines(subscription, true);
        return subscription;
    }

    private void declines(String subscription, boolean declines) {
        String key = api.get("/subscriptions/" + subscription, "$.billingKeyId");
        assertThat(api.put("/billing-keys/" + key + "/card", "{\"declines\": " + declines + "}")
                        .getStatusCode())
                .isEqualTo(HttpStatus.OK);
    }

    private List<Object> retryCounts() {
        return api.audited().stream()
                .filter((entry) -> entry.get("eventType").equals("PaymentFailed"))
                .map((entry) -> ((Map<?, ?>) entry.get("payload")).get("retry_count"))
                .map(Object.class::cast)
                .toList();
    }
}
