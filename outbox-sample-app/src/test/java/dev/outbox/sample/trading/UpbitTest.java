package dev.outbox.sample.trading;

import static com.github.tomakehurst.wiremock.client.WireMock.aResponse;
import static com.github.tomakehurst.wiremock.client.WireMock.get;
import static com.github.tomakehurst.wiremock.client.WireMock.getRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.post;
import static com.github.tomakehurst.wiremock.client.WireMock.postRequestedFor;
import static com.github.tomakehurst.wiremock.client.WireMock.urlEqualTo;
import static com.github.tomakehurst.wiremock.client.WireMock.urlPathEqualTo;
import static com.github.tomakehurst.wiremock.core.WireMockConfiguration.wireMockConfig;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.tomakehurst.wiremock.client.ResponseDefinitionBuilder;
import com.github.tomakehurst.wiremock.http.Fault;
import com.github.tomakehurst.wiremock.junit5.WireMockExtension;
import com.github.tomakehurst.wiremock.verification.LoggedRequest;
import com.nimbusds.jose.crypto.MACVerifier;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.outbox.sample.Api;
import dev.outbox.sample.SampleTest;
import dev.outbox.sample.trading.Exchange.Executions;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Orders to a server that speaks the protocol of Upbit. */
@Tag("full")
@SampleTest
class UpbitTest {

    private static final String SECRET = "secret-key-of-the-account-at-upbit";

    @RegisterExtension
    private static final WireMockExtension upbit = WireMockExtension.newInstance()
            .options(wireMockConfig().dynamicPort())
            .build();

    @Autowired
    private Api api;

    @Autowired
    private Exchange exchange;

    private TradingApi trading;

    @DynamicPropertySource
    static void adapter(DynamicPropertyRegistry properties) {
        properties.add("trading.exchange", () -> "upbit");
        properties.add("trading.upbit.access-key", () -> "access-1");
        properties.add("trading.upbit.secret-key", () -> SECRET);
        properties.add("trading.upbit.base-url", upbit::baseUrl);
        properties.add("trading.settle-time", () -> "1h");
        properties.add("trading.reconcile-interval", () -> "200ms");
    }

    @BeforeEach
    void connect() {
        trading = new TradingApi(api);
        finds(error(404, "order_not_found"));
    }

    @Test
    void placesASignedLimitOrder() throws Exception {
        places(order("[]"));
        finds(order("[]"));

        String intent = limit("0.5", "51000000");
        trading.awaitIntent(intent, "ACCEPTED");

        LoggedRequest request = placed();
        JsonNode body = JsonMapper.shared().readTree(request.getBody());
        assertThat(body.path("side").asString()).isEqualTo("bid");
        assertThat(body.path("ord_type").asString()).isEqualTo("limit");
        assertThat(body.path("identifier").asString()).isEqualTo(trading.identifierOf(intent));
        JWTClaimsSet claims = verified(request);
        assertThat(claims.getStringClaim("access_key")).isEqualTo("access-1");
        assertThat(claims.getStringClaim("nonce")).isNotEmpty();
        assertThat(claims.getStringClaim("query_hash"))
                .isEqualTo(sha512("market=%s&side=bid&volume=0.5&price=51000000&ord_type=limit&identifier=%s"
                        .formatted(trading.market(), trading.identifierOf(intent))));
    }

    @Test
    void readsFillsUntilTheOrderIsFilled() {
        places(order("[]"));
        finds(order("[{\"uuid\": \"t-1\", \"volume\": \"0.2\"}]"));
        String intent = limit("0.5", "100");
        trading.awaitIntent(intent, "PARTIALLY_FILLED");

        finds(order("[{\"uuid\": \"t-1\", \"volume\": \"0.2\"}, {\"uuid\": \"t-2\", \"volume\": \"0.3\"}]"));

        trading.awaitIntent(intent, "FILLED");
    }

    @Test
    void looksAnUnansweredOrderUpByItsIdentifier() {
        places(aResponse().withFault(Fault.EMPTY_RESPONSE));
        String intent = limit("0.5", "100");
        trading.awaitAttempt(intent, "UNKNOWN");

        finds(order("[]"));

        trading.awaitIntent(intent, "ACCEPTED");
        upbit.verify(1, postRequestedFor(urlEqualTo("/v1/orders")));
        upbit.verify(getRequestedFor(urlEqualTo("/v1/order?identifier=" + trading.identifierOf(intent))));
    }

    @ParameterizedTest
    @CsvSource({"500, UNKNOWN", "400, REJECTED", "429, THROTTLED"})
    void statusDecidesTheAttempt(int status, String attempt) {
        places(error(status, "a_name").withHeader("Retry-After", "3600"));

        trading.awaitAttempt(limit("0.5", "100"), attempt);
    }

    @Test
    void unreadableSuccessLeavesTheAttemptUnknown() {
        places(aResponse().withStatus(201).withBody("{\"uuid\": \"order-"));

        trading.awaitAttempt(limit("0.5", "100"), "UNKNOWN");
    }

    @Test
    void onlyOrderNotFoundMeansThatThereIsNoOrder() {
        assertThat(exchange.find("everbit-1")).isEmpty();

        for (ResponseDefinitionBuilder other : List.of(
                error(404, "no_route"),
                aResponse().withStatus(404).withBody("<html>"),
                error(400, "order_not_found"))) {
            finds(other);
            assertThatThrownBy(() -> exchange.find("everbit-1")).isInstanceOf(NoAnswerException.class);
        }
    }

    @ParameterizedTest
    @CsvSource({"wait, 1, false", "cancel, 1, true", "done, 1, true", "done, 2, false"})
    void stateTellsWhetherOtherExecutionsFollow(String state, int count, boolean complete) {
        finds(aResponse().withBody("""
                {"uuid": "order-1", "state": "%s", "trades_count": %d, "trades": [{"uuid": "t-1", "volume": "0.2"}]}
                """.formatted(state, count)));

        Executions executions = exchange.executions("everbit-1");

        assertThat(executions.fills()).hasSize(1);
        assertThat(executions.complete()).isEqualTo(complete);
    }

    @Test
    void busyExchangeSaysWhenToAskAgain() {
        finds(error(429, "too_many_requests").withHeader("Retry-After", "7"));

        assertThatThrownBy(() -> exchange.executions("everbit-1"))
                .isInstanceOfSatisfying(
                        ExchangeUnreachableException.class,
                        (ex) -> assertThat(ex.retryAfter()).isEqualTo(Duration.ofSeconds(7)));
    }

    @Test
    void refusedKeysPlaceNothingAndAreRetried() {
        places(error(401, "invalid_access_key"));
        String intent = limit("0.5", "100");
        trading.awaitAttempt(intent, "CREATED");

        places(order("[]"));

        trading.awaitIntent(intent, "ACCEPTED");
    }

    @Test
    void purchaseAtTheMarketIsRejected() {
        String intent = trading.signal("BUY", "0.5");

        trading.awaitIntent(intent, "REJECTED");
        assertThat(api.text("/order-intents/" + intent, "$.reason")).contains("set a limit");
    }

    private String limit(String volume, String price) {
        return api.create(
                "/signals", """
                {"ownerId": "%s", "strategyKey": "EXTREME_FLIP", "market": "%s", "side": "BUY", "volume": %s, "price": %s}
                """.formatted(trading.owner(), trading.market(), volume, price), "$.orderIntentId");
    }

    private static void places(ResponseDefinitionBuilder answer) {
        upbit.stubFor(post(urlEqualTo("/v1/orders")).willReturn(answer));
    }

    private static void finds(ResponseDefinitionBuilder answer) {
        upbit.stubFor(get(urlPathEqualTo("/v1/order")).willReturn(answer));
    }

    private static ResponseDefinitionBuilder order(String trades) {
        return aResponse()
                .withStatus(201)
                .withBody("{\"uuid\": \"order-1\", \"state\": \"wait\", \"trades\": %s}".formatted(trades));
    }

    private static ResponseDefinitionBuilder error(int status, String name) {
        return aResponse()
                .withStatus(status)
                .withBody("{\"error\": {\"name\": \"%s\", \"message\": \"no\"}}".formatted(name));
    }

    private static LoggedRequest placed() {
        return upbit.findAll(postRequestedFor(urlEqualTo("/v1/orders"))).get(0);
    }

    /** Returns the claims of a token whose signature is right. */
    private static JWTClaimsSet verified(LoggedRequest request) throws Exception {
        SignedJWT token = SignedJWT.parse(request.getHeader("Authorization").replace("Bearer ", ""));
        assertThat(token.verify(new MACVerifier(SECRET))).isTrue();
        return token.getJWTClaimsSet();
    }

    private static String sha512(String query) throws Exception {
        return HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-512").digest(query.getBytes(StandardCharsets.UTF_8)));
    }
}
