package dev.outbox.sample.billing;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.any;
import static com.github.tomakehurst.wiremock.client.WireMock.anyRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.urlEqualTo;
import static com.github.tomakehurst.wiremock.client.WireMock.urlPathMatching;
import static com.github.tomakehurst.wiremock.core.WireMockConfiguration.wireMockConfig;

import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.junit5.WireMockExtension;
import com.github.tomakehurst.wiremock.verification.LoggedRequest;
import java.util.List;

/** Server that speaks the protocol of Toss Payments. It issues the billing key {@code key-1}. */
final class FakeToss extends WireMockExtension {

    private static final String ISSUE = "/v1/billing/authorizations/issue";
    private static final String CHARGE = "/v1/billing/key-1";
    private static final String REFUND = "/v1/payments/payment-1/cancel";

    FakeToss() {
        super(newInstance().options(wireMockConfig().dynamicPort()));
    }

    void issues(ResponseDefinitionBuilder answer) {
        stubFor(any(urlEqualTo(ISSUE)).willReturn(answer));
    }

    void charges(ResponseDefinitionBuilder answer) {
        stubFor(any(urlEqualTo(CHARGE)).willReturn(answer));
    }

    void finds(ResponseDefinitionBuilder answer) {
        stubFor(any(urlPathMatching("/v1/payments/orders/.*")).willReturn(answer));
    }

    void refunds(ResponseDefinitionBuilder answer) {
        stubFor(any(urlEqualTo(REFUND)).willReturn(answer));
    }

    List<LoggedRequest> keysIssued() {
        return findAll(anyRequestedFor(urlEqualTo(ISSUE)));
    }

    List<LoggedRequest> charged() {
        return findAll(anyRequestedFor(urlEqualTo(CHARGE)));
    }

    List<LoggedRequest> refunded() {
        return findAll(anyRequestedFor(urlEqualTo(REFUND)));
    }

    static ResponseDefinitionBuilder key() {
        return answer(200, "{\"billingKey\": \"key-1\", \"method\": \"카드\"}");
    }

    static ResponseDefinitionBuilder payment(String status) {
        return answer(200, "{\"paymentKey\": \"payment-1\", \"status\": \"%s\"}".formatted(status));
    }

    static ResponseDefinitionBuilder error(int status, String code) {
        return answer(status, "{\"code\": \"%s\", \"message\": \"no\"}".formatted(code));
    }

    private static ResponseDefinitionBuilder answer(int status, String body) {
        return aResponse()
                .withStatus(status)
                .withHeader("Content-Type", "application/json")
                .withBody(body);
    }
}
