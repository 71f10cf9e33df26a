package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.InstanceOfAssertFactories.map;
import static org.awaitility.Awaitility.await;

import dev.outbox.sample.trading.TradingApi;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;

/** From a signal to an order at an exchange that does not always behave. */
@SampleTest
class TradingFlowTest {

    @Autowired
    private Api api;

    private TradingApi trading;

    @BeforeEach
    void connect() {
        trading = new TradingApi(api);
    }

    @Test
    void signalBecomesOrderAndNotifiesItsOwner() {
        String intent = trading.signal("BUY", "0.5");

        assertThat(api.awaitPublished()).containsExactly("CreateOrderAttempt", "OrderAccepted");
        assertThat(api.events()).extracting("stream").containsExactly("everbit.trade.command", "everbit.trade.event");
        assertThat(trading.statusesOf(intent)).containsExactly("ACKED");
        assertThat(trading.intent(intent)).containsEntry("status", "ACCEPTED");
        assertThat(trading.placements()).containsExactly(1);
        assertThat(trading.messages()).containsExactly("order accepted in " + trading.market());
    }

    @Test
    void acceptedOrderIsPushedToTheDeviceOfItsOwner() {
        api.put("/devices/" + trading.owner(), "");

        trading.signal("BUY", "0.5");

        assertThat(api.awaitPublished()).containsExactly("CreateOrderAttempt", "OrderAccepted", "PushRequested");
        assertThat(api.<List<String>>get("/devices/" + trading.owner() + "/messages", "$"))
                .containsExactly("Order accepted: in " + trading.market());
    }

    @Test
    void envelopeSaysOnWhoseBehalf() {
        String intent = trading.signal("BUY", "0.5");
        api.awaitPublished();
        String attempts = "/order-intents/" + intent + "/attempts";

        Map<String, Object> envelope = api.find("/events/" + api.events().get(0).get("eventId"));

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
                .containsEntry("ownerId", trading.owner())
                .containsEntry("strategyKey", "EXTREME_FLIP")
                .containsEntry("market", trading.market())
                .hasEntrySatisfying(
                        "payload",
                        (payload) -> assertThat(payload)
                                .asInstanceOf(map(String.class, Object.class))
                                .containsEntry("orderIntentId", intent)
                                .containsEntry("attemptId", api.text(attempts, "$[0].id"))
                                .containsEntry("identifier", api.text(attempts, "$[0].identifier"))
                                .containsEntry("attemptNo", 1)
                                .containsEntry("side", "BUY")
                                .containsEntry("volume", 0.5));
    }

    @Test
    void orderRefusedByExchangeIsRejectedWithoutRetry() {
        trading.exchange("REJECT");

        String intent = trading.signal("BUY", "0.5");

        assertThat(api.awaitPublished()).containsExactly("CreateOrderAttempt", "OrderRejected");
        assertThat(trading.statusesOf(intent)).containsExactly("REJECTED");
        assertThat(trading.intent(intent))
                .containsEntry("status", "REJECTED")
                .containsEntry("reason", "400 invalid order");
        assertThat(trading.messages())
                .containsExactly("order rejected in %s: 400 invalid order".formatted(trading.market()));
        assertThat(api.events()).extracting("retryCount").containsOnly(0);
    }

    @Test
    void busyExchangeIsAskedAgainWithAnotherAttempt() {
        trading.exchange("THROTTLE_ONCE");

        String intent = trading.signal("BUY", "0.5");

        trading.awaitAttempt(intent, "ACKED");
        assertThat(trading.statusesOf(intent)).containsExactly("THROTTLED", "ACKED");
        assertThat(trading.placements()).containsExactly(1);
    }

    @Test
    void attemptsAtBusyExchangeEndVisibly() {
        trading.exchange("THROTTLE");

        String intent = trading.signal("BUY", "0.5");

        trading.awaitIntent(intent, "EXHAUSTED");
        assertThat(trading.statusesOf(intent)).containsExactly("THROTTLED", "THROTTLED", "THROTTLED");
        assertThat(trading.intent(intent)).containsEntry("reason", "the exchange was too busy for 3 attempts");
        assertThat(api.awaitPublished())
                .containsExactly(
                        "CreateOrderAttempt",
                        "OrderThrottled",
                        "CreateOrderAttempt",
                        "OrderThrottled",
                        "CreateOrderAttempt",
                        "OrderThrottled",
                        "OrderAttemptsExhausted");
        assertThat(trading.messages())
                .containsExactly(
                        "order not placed in %s: the exchange was too busy for 3 attempts".formatted(trading.market()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"LOSE_ANSWER", "BREAK"})
    void orderWithoutAnAnswerIsNotSentAgain(String behaviour) {
        trading.exchange(behaviour);
        String intent = trading.signal("BUY", "0.5");

        trading.awaitAttempt(intent, "ACKED");
        assertThat(api.awaitPublished()).containsExactly("CreateOrderAttempt", "OrderAccepted");
        assertThat(trading.statusesOf(intent)).containsExactly("ACKED");
        assertThat(trading.placements()).containsExactly(1);
    }

    @Test
    void orderThatNeverArrivedIsFinallyRejected() {
        trading.exchange("LOSE_REQUEST");

        String intent = trading.signal("BUY", "0.5");

        trading.awaitAttempt(intent, "REJECTED");
        assertThat(api.text("/order-intents/" + intent + "/attempts", "$[0].reason"))
                .isEqualTo("it never reached the exchange");
        assertThat(api.awaitPublished()).containsExactly("CreateOrderAttempt", "OrderRejected");
        assertThat(trading.placements()).isEmpty();
    }

    @Test
    void exchangeThatCannotBeReachedIsTriedAgain() {
        trading.exchange("UNREACHABLE");
        String intent = trading.signal("BUY", "0.5");
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.events())
                        .extracting("status", "lastErrorCode")
                        .containsExactly(tuple("RETRYING", "ExchangeUnreachableException")));
        trading.awaitAttempt(intent, "CREATED");

        trading.exchange("ACCEPT");

        assertThat(api.awaitPublished()).containsExactly("CreateOrderAttempt", "OrderAccepted");
        assertThat(trading.placements()).containsExactly(1);
    }

    @Test
    void orderAgainstTheRulesIsDeadAtOnce() {
        limit(100);

        String intent = trading.signal("BUY", "101");

        trading.awaitIntent(intent, "HALTED");
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.events())
                        .extracting("eventType", "status", "retryCount", "lastErrorCode")
                        .containsExactly(
                                tuple("SettingChanged", "PUBLISHED", 0, null),
                                tuple("CreateOrderAttempt", "DEAD", 1, "TradingHaltedException"),
                                tuple("OrderHalted", "PUBLISHED", 0, null)));
        assertThat(trading.statusesOf(intent)).containsExactly("CREATED");
        assertThat(trading.placements()).isEmpty();
        assertThat(trading.messages())
                .containsExactly(
                        "order halted in %s until an operator decides: order %s is above the largest volume 100"
                                .formatted(trading.market(), trading.identifierOf(intent)));
    }

    @Test
    void deadOrderIsPlacedAfterOperatorRetriesIt() {
        limit(100);
        String intent = trading.signal("BUY", "101");
        String dead = trading.awaitDeadCommand();
        trading.awaitIntent(intent, "HALTED");

        limit(1000);
        Map<String, Object> retried = trading.retry(dead);

        assertThat(retried).isEqualTo(Map.of("affected", 1, "busy", 0));
        assertThat(api.awaitPublished())
                .containsExactly(
                        "SettingChanged", "CreateOrderAttempt", "OrderHalted", "SettingChanged", "OrderAccepted");
        assertThat(trading.statusesOf(intent)).containsExactly("ACKED");
        assertThat(trading.placements()).containsExactly(1);
        assertThat(trading.intent(intent)).containsEntry("status", "ACCEPTED").containsEntry("reason", null);
        assertThat(trading.messages()).hasSize(2).contains("order accepted in " + trading.market());
        assertThat(api.<List<String>>get("/actuator/outbox/operations?event=" + dead, "$.operations[*].action"))
                .containsExactly("RETRY");
    }

    @Test
    void killSwitchStopsOrdersUntilAnOperatorRetriesThem() {
        kill(true);
        String intent = trading.signal("BUY", "0.5");
        String command = trading.awaitDeadCommand();
        trading.awaitIntent(intent, "HALTED");
        kill(false);

        assertThat(api.events())
                .extracting("eventType", "status", "retryCount", "lastErrorCode")
                .contains(tuple("CreateOrderAttempt", "DEAD", 1, "TradingHaltedException"));
        assertThat(trading.statusesOf(intent)).containsExactly("CREATED");
        assertThat(trading.placements()).isEmpty();
        assertThat(trading.retry(command)).containsEntry("affected", 1);
        trading.awaitIntent(intent, "ACCEPTED");
        assertThat(trading.placements()).containsExactly(1);
    }

    private void kill(boolean on) {
        trading.change("kill-switch", "{\"on\": " + on + "}");
    }

    private void limit(int volume) {
        trading.change("max-volume", "{\"volume\": " + volume + "}");
    }
}
