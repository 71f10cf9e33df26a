package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpStatus;

/** From a signal to an order at an exchange that does not always behave. */
@SampleTest
class TradingFlowTest {

    private final String market = "KRW-" + UUID.randomUUID();
    private final String owner = "OWNER-" + UUID.randomUUID();

    @LocalServerPort
    private int port;

    private Api api;

    @BeforeEach
    void connect() {
        api = new Api(port);
    }

    @Test
    void signalBecomesOrderAndNotifiesItsOwner() {
        String intent = signal("BUY", "0.5");

        assertThat(api.awaitPublished()).containsExactly("CreateOrderAttempt", "OrderAccepted");
        assertThat(api.events()).extracting("stream").containsExactly("everbit.trade.command", "everbit.trade.event");
        assertThat(statusesOf(intent)).containsExactly("ACKED");
        assertThat(placements()).containsExactly(1);
        assertThat(api.messagesTo(owner)).containsExactly("order accepted in " + market);
    }

    @Test
    void envelopeSaysOnWhoseBehalf() {
        String intent = signal("BUY", "0.5");
        api.awaitPublished();

        Map<String, Object> envelope = api.find("/outbox/" + api.events().get(0).get("eventId"));

        assertThat(envelope)
                .containsOnlyKeys(
                        "schemaVersion",
                        "eventId",
                        "type",
                        "occurredAt",
                        "traceId",
                        "ownerId",
                        "strategyKey",
                        "market",
                        "payload")
                .containsEntry("schemaVersion", 1)
                .containsEntry("type", "CreateOrderAttempt")
                .containsEntry("traceId", api.traceId())
                .containsEntry("ownerId", owner)
                .containsEntry("strategyKey", "EXTREME_FLIP")
                .containsEntry("market", market)
                .hasEntrySatisfying(
                        "payload",
                        (payload) -> assertThat((Map<?, ?>) payload)
                                .isEqualTo(Map.of(
                                        "attemptId",
                                        api.text("/order-intents/" + intent + "/attempts", "$[0].id"),
                                        "orderIntentId",
                                        intent,
                                        "attemptNo",
                                        1,
                                        "identifier",
                                        api.text("/order-intents/" + intent + "/attempts", "$[0].identifier"))));
    }

    @Test
    void orderRefusedByExchangeIsRejectedWithoutRetry() {
        exchange("REJECT");

        String intent = signal("BUY", "0.5");

        assertThat(api.awaitPublished()).containsExactly("CreateOrderAttempt", "OrderRejected");
        assertThat(statusesOf(intent)).containsExactly("REJECTED");
        assertThat(api.events()).extracting("retryCount").containsOnly(0);
    }

    @Test
    void busyExchangeIsAskedAgainWithAnotherAttempt() {
        exchange("THROTTLE");
        String intent = signal("BUY", "0.5");
        await().atMost(Api.DEADLINE).until(() -> statusesOf(intent).contains("THROTTLED"));

        exchange("ACCEPT");

        await().atMost(Api.DEADLINE).until(() -> statusesOf(intent).contains("ACKED"));
        assertThat(statusesOf(intent)).endsWith("ACKED").hasSizeBetween(2, 3);
        assertThat(placements()).containsExactly(1);
    }

    @Test
    void attemptsAtBusyExchangeEnd() {
        exchange("THROTTLE");

        String intent = signal("BUY", "0.5");

        await().atMost(Api.DEADLINE)
                .until(() -> statusesOf(intent).equals(List.of("THROTTLED", "THROTTLED", "THROTTLED")));
        assertThat(api.awaitPublished())
                .containsExactly("CreateOrderAttempt", "CreateOrderAttempt", "CreateOrderAttempt");
    }

    @Test
    void orderWithLostAnswerIsNotSentAgain() {
        exchange("LOSE_ANSWER");

        assertOrderIsFound(signal("BUY", "0.5"));
    }

    @Test
    void orderThatBreaksExchangeIsNotSentAgain() {
        exchange("BREAK");

        assertOrderIsFound(signal("BUY", "0.5"));
    }

    @Test
    void orderThatNeverArrivedIsFinallyRejected() {
        exchange("LOSE_REQUEST");

        String intent = signal("BUY", "0.5");

        await().atMost(Api.DEADLINE).until(() -> statusesOf(intent).contains("REJECTED"));
        assertThat(api.text("/order-intents/" + intent + "/attempts", "$[0].reason"))
                .isEqualTo("it never reached the exchange");
        assertThat(api.awaitPublished()).containsExactly("CreateOrderAttempt", "OrderRejected");
        assertThat(placements()).isEmpty();
    }

    @Test
    void exchangeThatCannotBeReachedIsTriedAgain() {
        exchange("UNREACHABLE");
        String intent = signal("BUY", "0.5");
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.events())
                        .extracting("status", "lastErrorCode")
                        .containsExactly(tuple("RETRYING", "ExchangeUnreachableException")));
        assertThat(statusesOf(intent)).containsExactly("CREATED");

        exchange("ACCEPT");

        assertThat(api.awaitPublished()).containsExactly("CreateOrderAttempt", "OrderAccepted");
        assertThat(placements()).containsExactly(1);
    }

    @Test
    void orderAgainstTheRulesIsDeadAtOnce() {
        limit(100);

        String intent = signal("BUY", "101");

        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.events())
                        .extracting("eventType", "status", "retryCount", "lastErrorCode")
                        .containsExactly(
                                tuple("SettingChanged", "PUBLISHED", 0, null),
                                tuple("CreateOrderAttempt", "DEAD", 1, "TradingHaltedException")));
        assertThat(statusesOf(intent)).containsExactly("CREATED");
        assertThat(placements()).isEmpty();
    }

    @Test
    void deadOrderIsPlacedAfterOperatorRetriesIt() {
        limit(100);
        String intent = signal("BUY", "101");
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.events())
                        .extracting("eventType", "status")
                        .contains(tuple("CreateOrderAttempt", "DEAD")));
        String dead = api.<List<String>>get(
                        "/outbox?trace=" + api.traceId(), "$[?(@.eventType == 'CreateOrderAttempt')].eventId")
                .get(0);

        limit(1000);
        Map<String, Object> retried = api.create("/operations/retry", """
                {"handler": "order-executor-worker", "status": ["DEAD"], "eventId": "%s", "by": "ann", "reason": "it may be larger"}
                """.formatted(dead), "$");

        assertThat(retried).isEqualTo(Map.of("affected", 1, "busy", 0, "outOfOrder", 0));
        assertThat(api.awaitPublished())
                .containsExactly("SettingChanged", "CreateOrderAttempt", "SettingChanged", "OrderAccepted");
        assertThat(statusesOf(intent)).containsExactly("ACKED");
        assertThat(placements()).containsExactly(1);
        assertThat(api.messagesTo(owner)).containsExactly("order accepted in " + market);
        assertThat(api.<List<String>>get("/operations/log?eventId=" + dead, "$[*].action"))
                .containsExactly("RETRY");
    }

    @Test
    void executedOrderChangesThePositionOnce() {
        String bought = identifierOf(signal("BUY", "0.5"));
        String sold = identifierOf(signal("SELL", "0.2"));
        api.awaitPublished();

        fill(bought);
        fill(bought);
        fill(sold);

        assertThat(api.awaitPublished())
                .filteredOn((type) -> type.equals("OrderFilled") || type.equals("PositionChanged"))
                .containsExactly("OrderFilled", "PositionChanged", "OrderFilled", "PositionChanged");
        assertThat(api.audited())
                .filteredOn("eventType", "PositionChanged")
                .extracting("payload")
                .containsExactly(Map.of("market", market, "volume", 0.5), Map.of("market", market, "volume", 0.3));
    }

    @Test
    void badInputIsAProblem() {
        assertThat(api.post("/exchange/orders/absent/fill", "").getStatusCode()).isEqualTo(HttpStatus.NOT_FOUND);
        assertThat(api.post("/signals", """
                {"ownerId": "o", "strategyKey": "s", "market": "m", "side": "BUY", "volume": -1}
                """).getStatusCode()).isEqualTo(HttpStatus.BAD_REQUEST);
    }

    private void assertOrderIsFound(String intent) {
        await().atMost(Api.DEADLINE).until(() -> statusesOf(intent).contains("ACKED"));
        assertThat(api.awaitPublished()).containsExactly("CreateOrderAttempt", "OrderAccepted");
        assertThat(statusesOf(intent)).containsExactly("ACKED");
        assertThat(placements()).containsExactly(1);
    }

    private String signal(String side, String volume) {
        return api.create("/signals", """
                {"ownerId": "%s", "strategyKey": "EXTREME_FLIP", "market": "%s", "side": "%s", "volume": %s}
                """.formatted(owner, market, side, volume), "$.orderIntentId");
    }

    private void exchange(String behaviour) {
        assertThat(api.put("/exchange/markets/" + market, "{\"behaviour\": \"" + behaviour + "\"}")
                        .getStatusCode())
                .isEqualTo(HttpStatus.OK);
    }

    /** Changes the largest volume of an order, and waits until trading knows. */
    private void limit(int volume) {
        api.put("/settings/max-volume", "{\"volume\": " + volume + "}");
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.events())
                        .filteredOn("eventType", "SettingChanged")
                        .extracting("status")
                        .containsOnly("PUBLISHED"));
    }

    private void fill(String identifier) {
        assertThat(api.post("/exchange/orders/" + identifier + "/fill", "").getStatusCode())
                .isEqualTo(HttpStatus.OK);
    }

    private List<String> statusesOf(String intent) {
        return api.get("/order-intents/" + intent + "/attempts", "$[*].status");
    }

    private String identifierOf(String intent) {
        return api.text("/order-intents/" + intent + "/attempts", "$[0].identifier");
    }

    private List<Integer> placements() {
        return api.get("/exchange/markets/" + market + "/orders", "$[*].placements");
    }
}
