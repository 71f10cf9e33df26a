package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.outbox.sample.trading.TradingApi;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;

/** What becomes of events while handlers and gateways misbehave on request, and afterwards. */
@SampleTest
class FaultFlowTest {

    @Autowired
    private Api api;

    @Test
    void handlerThatIsSlowTakesLonger() {
        api.fault("fulfilment.order", "slowMillis=400");
        api.order("snail");

        api.awaitPublished();

        Map<String, Object> event = api.events().get(0);
        assertThat(Duration.between(time(event, "occurredAt"), time(event, "publishedAt")))
                .isGreaterThanOrEqualTo(Duration.ofMillis(400));
        assertThat(event).containsEntry("retryCount", 0);
    }

    @Test
    void handlerThatHangsIsEndedByItsTimeout() {
        api.fault("fulfilment.parcel", "hang=true");
        String order = api.pay(api.order("clock"));

        await().atMost(Api.DEADLINE)
                .untilAsserted(
                        () -> assertThat(paid()).extracting("lastErrorCode").containsExactly("HANDLER_TIMEOUT"));
        assertThat(api.find("/fulfilments/" + order))
                .containsEntry("status", "ready")
                .containsEntry("parcels", 0);

        api.delete("/demo/faults");

        api.awaitPublished();
        assertThat(api.find("/fulfilments/" + order)).containsEntry("parcels", 1);
    }

    @Test
    void gatewaysThatAreDownAreTriedAgain() {
        TradingApi trading = new TradingApi(api);
        api.put("/devices/" + trading.owner(), "");
        api.gateway("exchange", "DOWN");
        api.gateway("push", "DOWN");

        trading.signal("BUY", "0.5");

        awaitError("CreateOrderAttempt", "ExchangeUnreachableException");
        api.gateway("exchange", "NONE");
        awaitError("PushRequested", "GatewayException");
        api.gateway("push", "NONE");
        api.awaitPublished();
        assertThat(trading.placements()).containsExactly(1);
        assertThat(api.<List<String>>get("/inbox/" + trading.owner(), "$[*].status"))
                .containsExactly("SENT");
    }

    @Test
    void faultsAreShownUntilTheyEnd() {
        api.fault("push.send", "failPercent=30&slowMillis=200");
        api.gateway("exchange", "DOWN");

        assertThat(api.get("/demo/faults").getBody()).isEqualTo("""
                {"handlers":[{"handlerId":"push.send","failPercent":30,"slowMillis":200,"hang":false}],\
                "gateways":[{"name":"bank","fault":"NONE"},{"name":"courier","fault":"NONE"},{"name":"discord","fault":"NONE"},\
                {"name":"exchange","fault":"DOWN"},{"name":"push","fault":"NONE"}]}\
                """);

        api.fault("push.send", "failPercent=0");
        assertThat(api.<List<Object>>get("/demo/faults", "$.handlers")).isEmpty();

        assertThat(api.delete("/demo/faults").getStatusCode()).isEqualTo(HttpStatus.OK);
        assertThat(api.<List<String>>get("/demo/faults", "$.gateways[*].fault")).containsOnly("NONE");
    }

    @ParameterizedTest
    @CsvSource({
        "handlers/push.send?failPercent=101, 400",
        "handlers/push.send?failPercent=-1, 400",
        "handlers/push.send?slowMillis=-1, 400",
        "handlers/push.send?hang=perhaps, 400",
        "handlers/absent?failPercent=1, 404",
        "gateways/push, 400",
        "gateways/push?fault=PERHAPS, 400",
        "gateways/push?fault=DECLINE, 404",
        "gateways/nothing?fault=DOWN, 404"
    })
    void badValuesAreRefused(String fault, int status) {
        ResponseEntity<String> answer = api.post("/demo/faults/" + fault, "");

        assertThat(answer.getStatusCode().value()).isEqualTo(status);
        assertThat(answer.getHeaders().getContentType()).hasToString("application/problem+json");
        assertThat(api.<List<Object>>get("/demo/faults", "$.handlers")).isEmpty();
    }

    private void awaitError(String eventType, String code) {
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.events())
                        .extracting("eventType", "lastErrorCode")
                        .contains(tuple(eventType, code)));
    }

    private List<Map<String, Object>> paid() {
        return api.events().stream()
                .filter((event) -> event.get("eventType").equals("OrderPaid"))
                .toList();
    }

    private static Instant time(Map<String, Object> event, String name) {
        return Instant.parse((String) event.get(name));
    }
}
