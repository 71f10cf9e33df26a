package dev.outbox.sample.trading;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.sample.Api;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;

/** Trading as an owner, the exchange and an operator see it: one owner in one market, both new for each test. */
public final class TradingApi {

    private final String market = "KRW-" + UUID.randomUUID();
    private final String owner = "OWNER-" + UUID.randomUUID();
    private final Api api;

    public TradingApi(Api api) {
        this.api = api;
    }

    public String market() {
        return market;
    }

    public String owner() {
        return owner;
    }

    /** Sends a signal, and returns the id of its intent. */
    public String signal(String side, String volume) {
        return api.create("/signals", """
                {"ownerId": "%s", "strategyKey": "EXTREME_FLIP", "market": "%s", "side": "%s", "volume": %s}
                """.formatted(owner, market, side, volume), "$.orderIntentId");
    }

    /** Sets how the exchange answers orders of the market. */
    public void exchange(String behaviour) {
        assertThat(api.put("/exchange/markets/" + market, "{\"behaviour\": \"" + behaviour + "\"}")
                        .getStatusCode())
                .isEqualTo(HttpStatus.OK);
    }

    public HttpStatusCode fill(String identifier, String fillId, String volume) {
        return api.post("/exchange/orders/" + identifier + "/fills", """
                        {"fillId": "%s", "volume": %s}
                        """.formatted(fillId, volume))
                .getStatusCode();
    }

    public Map<String, Object> intent(String intent) {
        return api.find("/order-intents/" + intent);
    }

    public void awaitIntent(String intent, String status) {
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(intent(intent)).containsEntry("status", status));
    }

    public List<String> statusesOf(String intent) {
        return api.get("/order-intents/" + intent + "/attempts", "$[*].status");
    }

    public void awaitAttempt(String intent, String status) {
        await().atMost(Api.DEADLINE).until(() -> statusesOf(intent).contains(status));
    }

    public String identifierOf(String intent) {
        return api.text("/order-intents/" + intent + "/attempts", "$[0].identifier");
    }

    /** Returns how often each order of the market was placed. */
    public List<Integer> placements() {
        return api.get("/exchange/markets/" + market + "/orders", "$[*].placements");
    }

    public List<String> messages() {
        return api.messagesTo(owner);
    }

    /** Changes a setting, and waits until trading has it. */
    public void change(String setting, String json) {
        api.put("/settings/" + setting, json);
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.events())
                        .filteredOn("eventType", "SettingChanged")
                        .extracting("status")
                        .containsOnly("PUBLISHED"));
    }

    /** Waits for the dead command of the trace, and returns its event id. */
    public String awaitDeadCommand() {
        String dead = "$[?(@.eventType == 'CreateOrderAttempt' && @.status == 'DEAD')].eventId";
        await().atMost(Api.DEADLINE)
                .until(() -> !api.<List<String>>get("/events?trace=" + api.traceId(), dead)
                        .isEmpty());
        return api.<List<String>>get("/events?trace=" + api.traceId(), dead).get(0);
    }

    /** Retries a dead command as an operator, and returns the outcome. */
    public Map<String, Object> retry(String command) {
        return api.operate("retry", "handler=order-executor-worker&status=DEAD&event=" + command);
    }
}
