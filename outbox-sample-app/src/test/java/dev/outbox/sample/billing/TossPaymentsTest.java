package dev.outbox.sample.billing;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.http.Fault;
import com.github.tomakehurst.wiremock.verification.LoggedRequest;
import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Charges over a server that speaks the protocol of Toss Payments. */
@SampleTest
@Import(EveryGuild.class)
class TossPaymentsTest {

    @RegisterExtension
    private static final FakeToss toss = new FakeToss();

    @Autowired
    private Subscriptions subscriptions;

    @Autowired
    private BillingKeys keys;

    @Autowired
    private Charges charges;

    @Autowired
    private Charging charging;

    @Autowired
    private Bank bank;

    @Autowired
    private JdbcClient jdbc;

    private BillingTables tables;

    @DynamicPropertySource
    static void adapter(DynamicPropertyRegistry properties) {
        properties.add("sample.billing.bank", () -> "toss");
        properties.add("sample.billing.toss.secret-key", () -> "test_sk_1");
        properties.add("sample.billing.toss.base-url", toss::baseUrl);
    }

    @BeforeEach
    void issueKeys() {
        tables = new BillingTables(jdbc);
        toss.issues(FakeToss.key());
    }

    @Test
    void chargesBillingKeyUnderIdOfCharge() {
        toss.charges(FakeToss.payment("DONE"));
        Charge charge = order();

        assertThat(charging.collect(charge).status()).isEqualTo("active");

        assertThat(toss.charged()).singleElement().satisfies((request) -> {
            assertThat(request.getHeader("Authorization")).isEqualTo("Basic dGVzdF9za18xOg==");
            assertThat(request.getHeader("Idempotency-Key"))
                    .isEqualTo(charge.id().toString());
            assertThat(request.getHeader("Content-Type")).isEqualTo(MediaType.APPLICATION_JSON_VALUE);
            JsonNode body = body(request);
            assertThat(body.path("orderId").asString()).isEqualTo(charge.id().toString());
            assertThat(body.path("customerKey").asString())
                    .isEqualTo(charge.billingKeyId().toString());
            assertThat(body.path("orderName").asString()).isEqualTo("pro");
            assertThat(body.path("amount").asLong()).isEqualTo(9_900);
        });
    }

    @Test
    void exchangesAuthorizationForBillingKeyOnce() {
        toss.charges(FakeToss.payment("DONE"));
        UUID id = charging.collect(order()).id();
        subscriptions.makeDue(id);

        charging.charge(id);

        assertThat(toss.charged()).hasSize(2);
        assertThat(toss.keysIssued()).singleElement().satisfies((request) -> {
            assertThat(body(request).path("authKey").asString()).isEqualTo("auth-1");
            assertThat(request.getHeader("Idempotency-Key"))
                    .isEqualTo(body(request).path("customerKey").asString());
        });
    }

    @ParameterizedTest
    @CsvSource({
        "key, 400, INVALID_CARD_EXPIRATION, failed",
        "key, 400, INVALID_AUTH_KEY, failed",
        "key, 404, NOT_FOUND_AUTH_KEY, failed",
        "key, 403, REJECT_CARD_PAYMENT, failed",
        "key, 401, UNAUTHORIZED_KEY, open",
        "key, 403, FORBIDDEN_REQUEST, open",
        "key, 408, '', open",
        "key, 409, IDEMPOTENT_REQUEST_PROCESSING, open",
        "key, 429, TOO_MANY_REQUESTS, open",
        "key, 500, INVALID_AUTH_KEY, open",
        "charge, 403, REJECT_CARD_PAYMENT, failed",
        "charge, 400, INVALID_STOPPED_CARD, failed",
        "charge, 400, EXCEED_MAX_DAILY_PAYMENT_COUNT, failed",
        "charge, 401, UNAUTHORIZED_KEY, open",
        "charge, 400, INVALID_REQUEST, open",
        "charge, 400, PROVIDER_ERROR, open",
        "charge, 409, IDEMPOTENT_REQUEST_PROCESSING, open",
        "charge, 500, REJECT_CARD_PAYMENT, open",
        "charge, 502, '', open",
        "charge, 400, DUPLICATED_ORDER_ID, open",
        "charge, 400, ALREADY_PROCESSED_PAYMENT, open"
    })
    void onlyRefusalsFailTheCharge(String request, int status, String code, String charged) {
        toss.finds(FakeToss.error(404, "NOT_FOUND_PAYMENT"));
        if (request.equals("key")) {
            toss.issues(FakeToss.error(status, code));
        } else {
            toss.charges(FakeToss.error(status, code));
        }
        Charge charge = order();

        if (charged.equals("open")) {
            assertThatThrownBy(() -> charging.collect(charge)).isInstanceOf(BankException.class);
        } else {
            assertThat(charging.collect(charge).status()).isEqualTo("canceled");
        }

        assertThat(tables.chargesOf(charge.subscriptionId())).containsExactly(charged);
    }

    @Test
    void unreadableSuccessLeavesChargeOpen() {
        UUID id = dueSubscription();
        toss.charges(aResponse().withBody("{\"status\": \"DO"));

        assertThatThrownBy(() -> charging.charge(id)).isInstanceOf(BankException.class);
        assertThat(tables.chargesOf(id)).containsExactly("succeeded", "open");
    }

    @Test
    void repeatsChargeUnderItsKeyAfterLostAnswer() {
        UUID id = dueSubscription();
        toss.charges(aResponse().withFault(Fault.CONNECTION_RESET_BY_PEER));
        assertThatThrownBy(() -> charging.charge(id)).isInstanceOf(BankException.class);
        toss.charges(aResponse().withFault(Fault.EMPTY_RESPONSE));
        subscriptions.makeDue(id);
        assertThatThrownBy(() -> charging.charge(id)).isInstanceOf(BankException.class);
        toss.charges(FakeToss.payment("DONE"));
        subscriptions.makeDue(id);

        charging.charge(id);

        assertThat(tables.chargesOf(id)).containsExactly("succeeded", "succeeded");
        List<String> sent = toss.charged().stream()
                .map((request) -> request.getHeader("Idempotency-Key"))
                .toList();
        assertThat(sent).hasSize(4);
        assertThat(sent.subList(1, 4)).containsOnly(sent.get(3)).doesNotContain(sent.get(0));
    }

    @Test
    void paymentUnderSameOrderIdIsTheAnswer() {
        UUID id = dueSubscription();
        toss.charges(FakeToss.error(400, "DUPLICATED_ORDER_ID"));
        toss.finds(FakeToss.payment("DONE"));

        charging.charge(id);

        assertThat(tables.chargesOf(id)).containsExactly("succeeded", "succeeded");
    }

    @Test
    void busyBankSaysWhenToChargeAgain() {
        UUID id = dueSubscription();
        toss.charges(FakeToss.error(429, "TOO_MANY_REQUESTS").withHeader("Retry-After", "7200"));

        assertThatThrownBy(() -> charging.charge(id)).isInstanceOf(BankException.class);

        assertThat(subscriptions.find(id).nextChargeAt()).isAfter(Instant.now().plus(Duration.ofMinutes(90)));
    }

    @Test
    void deletedKeyIsNotCharged() {
        UUID id = dueSubscription();
        keys.delete(subscriptions.find(id).billingKeyId());
        toss.finds(FakeToss.error(404, "NOT_FOUND_PAYMENT"));

        assertThat(bank.collect(charges.claim(id).orElseThrow())).isFalse();
        assertThat(toss.charged()).hasSize(1);
    }

    @Test
    void refundsWhatIsPaid() {
        Charge charge = order();
        toss.finds(FakeToss.payment("DONE"));
        toss.refunds(FakeToss.payment("CANCELED"));

        charging.cancel(charge);

        assertThat(toss.refunded())
                .singleElement()
                .satisfies((request) ->
                        assertThat(request.getHeader("Idempotency-Key")).isEqualTo("cancel-" + charge.id()));
        assertThat(tables.chargesOf(charge.subscriptionId())).containsExactly("canceled");
    }

    @Test
    void paymentAfterItsCancellationIsCanceledAgain() {
        Charge charge = order();
        keys.delete(charge.billingKeyId());
        awaitSuspended(charge.subscriptionId());
        toss.finds(FakeToss.error(404, "NOT_FOUND_PAYMENT"));
        charging.cancel(charge);
        toss.finds(FakeToss.payment("DONE"));

        charging.collect(charge);

        assertThat(tables.chargesOf(charge.subscriptionId())).containsExactly("open");
    }

    @ParameterizedTest
    @CsvSource({"500, FAILED_INTERNAL_SYSTEM_PROCESSING, ", "503, '', 3600"})
    void unknownPaymentAfterItsCancellationIsCanceledAgain(int status, String code, String retryAfter) {
        Charge charge = order();
        keys.delete(charge.billingKeyId());
        awaitSuspended(charge.subscriptionId());
        toss.finds(FakeToss.error(404, "NOT_FOUND_PAYMENT"));
        charging.cancel(charge);
        ResponseDefinitionBuilder unknown = FakeToss.error(status, code);
        toss.finds(retryAfter == null ? unknown : unknown.withHeader("Retry-After", retryAfter));

        assertThatThrownBy(() -> charging.collect(charge)).isInstanceOf(BankException.class);

        assertThat(tables.chargesOf(charge.subscriptionId())).containsExactly("open");
        assertThat(charges.orphaned()).doesNotContain(charge);
        subscriptions.makeDue(charge.subscriptionId());
        assertThat(charges.orphaned()).contains(charge);
    }

    @Test
    void failedRefundLeavesChargeOpen() {
        Charge charge = order();
        toss.finds(FakeToss.payment("DONE"));
        toss.refunds(FakeToss.error(500, "FAILED_INTERNAL_SYSTEM_PROCESSING"));

        assertThatThrownBy(() -> charging.cancel(charge)).isInstanceOf(BankException.class);
        assertThat(tables.chargesOf(charge.subscriptionId())).containsExactly("open");
    }

    private void awaitSuspended(UUID id) {
        await().atMost(Api.DEADLINE).until(() -> subscriptions.find(id).status().equals("suspended"));
    }

    private Charge order() {
        return subscriptions.order("guild-" + UUID.randomUUID(), Plan.PRO, "user-1", "auth-1");
    }

    private UUID dueSubscription() {
        toss.charges(FakeToss.payment("DONE"));
        UUID id = charging.collect(order()).id();
        subscriptions.makeDue(id);
        return id;
    }

    private static JsonNode body(LoggedRequest request) {
        return JsonMapper.shared().readTree(request.getBody());
    }
}
