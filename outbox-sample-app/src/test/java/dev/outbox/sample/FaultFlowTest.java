package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpStatus;

/** What becomes of events while handlers and gateways misbehave on request, and afterwards. */
@SampleTest
class FaultFlowTest {

    @LocalServerPort
    private int port;

    @Autowired
    private MeterRegistry meters;

    private Api api;

    @BeforeEach
    void connect() {
        api = new Api(port);
    }

    @AfterEach
    void endFaults() {
        api.delete("/demo/faults");
    }

    @Test
    void failingHandlerDelaysNoOtherHandler() {
        handlerFault("fulfilment.order", "failPercent=100");
        String order = payFor("teapot");

        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.events())
                        .extracting("eventType", "status", "lastErrorCode")
                        .containsExactly(
                                tuple("OrderPlaced", "RETRYING", "InjectedFaultException"),
                                tuple("OrderPaid", "RETRYING", null)));
        await().atMost(Api.DEADLINE)
                .untilAsserted(
                        () -> assertThat(api.<List<String>>get("/audit?trace=" + api.traceId(), "$[*].eventType"))
                                .containsExactly("OrderPlaced", "OrderPaid"));
        assertThat(api.get("/fulfilments/" + order).getStatusCode()).isEqualTo(HttpStatus.NOT_FOUND);

        endFaults();

        api.awaitPublished();
        assertThat(api.find("/fulfilments/" + order))
                .containsEntry("status", "ready")
                .containsEntry("lastSeq", 2)
                .containsEntry("parcels", 1);
    }

    @Test
    void handlerThatFailsNowAndThenIsRetriedNowAndThen() {
        handlerFault("fulfilment.parcel", "failPercent=30");
        IntStream.range(0, 40).forEach((number) -> payFor("cup"));

        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(paid())
                        .extracting("status")
                        .contains("PUBLISHED")
                        .doesNotContain("PENDING", "PROCESSING"));
        assertThat(paid())
                .filteredOn((event) -> !event.get("retryCount").equals(0))
                .hasSizeBetween(1, 39)
                .extracting("lastErrorCode")
                .containsOnly("InjectedFaultException");

        endFaults();

        api.awaitPublished();
    }

    @Test
    void handlerThatIsSlowTakesLonger() {
        handlerFault("fulfilment.order", "slowMillis=400");
        api.create("/orders", "{\"item\": \"snail\"}", "$.id");

        api.awaitPublished();

        Map<String, Object> event = api.events().get(0);
        assertThat(Duration.between(time(event, "occurredAt"), time(event, "publishedAt")))
                .isGreaterThanOrEqualTo(Duration.ofMillis(400));
        assertThat(event).containsEntry("retryCount", 0);
    }

    @Test
    void handlerThatHangsIsEndedByItsTimeout() {
        handlerFault("fulfilment.parcel", "hang=true");
        String order = payFor("clock");

        await().atMost(Api.DEADLINE)
                .untilAsserted(
                        () -> assertThat(paid()).extracting("lastErrorCode").containsExactly("HANDLER_TIMEOUT"));
        assertThat(api.find("/fulfilments/" + order))
                .containsEntry("status", "ready")
                .containsEntry("parcels", 0);

        endFaults();

        api.awaitPublished();
        assertThat(api.find("/fulfilments/" + order)).containsEntry("parcels", 1);
    }

    @Test
    void handlerWithoutTimeoutHangsUntilTheFaultIsOver() {
        handlerFault("fulfilment.stock", "hang=true");
        payFor("candle-" + api.traceId());
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(paid()).extracting("status").containsExactly("PROCESSING"));
        assertThat(paid()).singleElement().satisfies((event) -> {
            assertThat(Instant.parse(event.get("lockedUntil").toString()))
                    .isAfter(Instant.parse(event.get("claimedAt").toString()));
            assertThat(event)
                    .containsEntry("attemptCount", 0)
                    .hasEntrySatisfying(
                            "lockedBy", (worker) -> assertThat(worker).isNotNull());
        });

        endFaults();

        api.awaitPublished();
        assertThat(paid()).extracting("retryCount").containsExactly(0);
        assertThat(api.find("/sales/candle-" + api.traceId())).containsEntry("sold", 1);
    }

    @Test
    void courierThatIsAwayOpensTheCircuitAndGetsEveryParcelOnceWhenItIsBack() {
        double opened = circuitsOpened();
        api.gateway("courier", "DOWN");
        List<String> orders =
                IntStream.range(0, 8).mapToObj((number) -> payFor("plate")).toList();

        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(circuitsOpened()).isGreaterThan(opened));
        assertThat(paid()).extracting("lastErrorCode").contains("GatewayException");

        api.gateway("courier", "NONE");

        api.awaitPublished();
        assertThat(orders)
                .allSatisfy((order) -> assertThat(api.find("/fulfilments/" + order))
                        .containsEntry("parcels", 1)
                        .containsEntry("courierRequests", 1));
    }

    @Test
    void pushGatewayThatIsDownIsTriedAgain() {
        String user = "user-" + UUID.randomUUID();
        api.put("/devices/" + user, "");
        api.gateway("push", "DOWN");
        String reservation = api.create("/reservations", """
                {"userId": "%s", "place": "sauna", "startsAt": "2030-01-01T18:00:00Z"}
                """.formatted(user), "$.id");
        api.create("/reservations/" + reservation + "/confirmation", "", "$.id");
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.events())
                        .extracting("eventType", "lastErrorCode")
                        .contains(tuple("PushRequested", "GatewayException")));

        api.gateway("push", "NONE");

        api.awaitPublished();
        assertThat(api.<List<String>>get("/inbox/" + user, "$[*].status")).containsExactly("SENT");
    }

    @Test
    void exchangeThatIsDownIsTriedAgainAndGetsTheOrderOnce() {
        api.gateway("exchange", "DOWN");
        String market = "KRW-" + UUID.randomUUID();
        api.create("/signals", """
                {"ownerId": "ann", "strategyKey": "s", "market": "%s", "side": "BUY", "volume": 1}
                """.formatted(market), "$.orderIntentId");
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.events())
                        .extracting("eventType", "lastErrorCode")
                        .contains(tuple("CreateOrderAttempt", "ExchangeUnreachableException")));

        api.gateway("exchange", "NONE");

        api.awaitPublished();
        assertThat(api.<List<Integer>>get("/exchange/markets/" + market + "/orders", "$[*].placements"))
                .containsExactly(1);
    }

    @Test
    void faultsAreShownUntilTheyEnd() {
        handlerFault("push.send", "failPercent=30&slowMillis=200");
        api.gateway("exchange", "DOWN");

        assertThat(api.get("/demo/faults").getBody()).isEqualTo("""
                {"handlers":[{"handlerId":"push.send","failPercent":30,"slowMillis":200,"hang":false}],\
                "gateways":[{"name":"bank","fault":"NONE"},{"name":"courier","fault":"NONE"},{"name":"discord","fault":"NONE"},\
                {"name":"exchange","fault":"DOWN"},{"name":"push","fault":"NONE"}]}\
                """);

        handlerFault("push.send", "failPercent=0");
        assertThat(api.<List<Object>>get("/demo/faults", "$.handlers")).isEmpty();

        assertThat(api.delete("/demo/faults").getStatusCode()).isEqualTo(HttpStatus.OK);
        assertThat(api.<List<String>>get("/demo/faults", "$.gateways[*].fault")).containsOnly("NONE");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "handlers/push.send?failPercent=101",
                "handlers/push.send?failPercent=-1",
                "handlers/push.send?slowMillis=-1",
                "handlers/push.send?hang=perhaps",
                "gateways/push",
                "gateways/push?fault=PERHAPS"
            })
    void badValuesAreRefused(String fault) {
        assertThat(api.post("/demo/faults/" + fault, "")).satisfies((answer) -> {
            assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.BAD_REQUEST);
            assertThat(answer.getHeaders().getContentType()).hasToString("application/problem+json");
        });
        assertThat(api.<List<Object>>get("/demo/faults", "$.handlers")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"handlers/absent?failPercent=1", "gateways/nothing?fault=DOWN", "gateways/push?fault=DECLINE"})
    void whatIsNotThereCannotBreak(String fault) {
        assertThat(api.post("/demo/faults/" + fault, "").getStatusCode()).isEqualTo(HttpStatus.NOT_FOUND);
    }

    private void handlerFault(String handlerId, String fault) {
        assertThat(api.post("/demo/faults/handlers/" + handlerId + "?" + fault, "")
                        .getStatusCode())
                .isEqualTo(HttpStatus.OK);
    }

    private String payFor(String item) {
        String order = api.create("/orders", "{\"item\": \"" + item + "\"}", "$.id");
        return api.create("/orders/" + order + "/payment", "", "$.id");
    }

    private List<Map<String, Object>> paid() {
        return api.events().stream()
                .filter((event) -> event.get("eventType").equals("OrderPaid"))
                .toList();
    }

    private static Instant time(Map<String, Object> event, String name) {
        return Instant.parse((String) event.get(name));
    }

    private double circuitsOpened() {
        return meters.find("outbox.circuit.opened").tag("handler", "fulfilment.parcel").counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }
}
