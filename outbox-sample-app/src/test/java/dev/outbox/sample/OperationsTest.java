package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What an operator asks and does over HTTP. */
@SampleTest
class OperationsTest {

    private static final String WISH = "{\"by\": \"ann\", \"reason\": \"a test\"}";

    private final String user = "user-" + UUID.randomUUID();

    @LocalServerPort
    private int port;

    @Autowired
    private JdbcClient jdbc;

    private Api api;

    @BeforeEach
    void connect() {
        api = new Api(port);
        api.put("/devices/" + user, "");
    }

    @Test
    void deadDeliveryIsFoundWithItsFailureAndCounted() {
        Map<String, Object> dead = DeadTrades.next(api);
        String[] aggregate = dead.get("aggregate").toString().split("/");
        String filter =
                "?handler=order-executor-worker&status=DEAD&stream=everbit.trade.command&eventType=CreateOrderAttempt"
                        + "&aggregateType=" + aggregate[0] + "&aggregateId=" + aggregate[1]
                        + "&errorCode=TradingHaltedException";

        assertThat(api.<List<Object>>get("/operations/deliveries" + filter, "$[*].event.eventId"))
                .containsExactly(dead.get("eventId"));
        assertThat(api.<List<Object>>get("/operations/deliveries" + filter, "$[*].attempts.lastFailure.code"))
                .containsExactly("TradingHaltedException");
        assertThat(api.<Integer>get("/operations/deliveries/count" + filter, "$.count"))
                .isEqualTo(1);
        assertThat(api.<Integer>get(
                        "/operations/deliveries/count" + filter + "&eventId=" + UUID.randomUUID(), "$.count"))
                .isZero();
    }

    @Test
    void nextPageBeginsWhereTheLastOneHasEnded() {
        DeadTrades.next(api);
        DeadTrades.next(api);
        String all = "/operations/deliveries?status=DEAD";
        List<String> ids = api.get(all, "$[*].event.eventId");

        Map<String, Object> first = api.get(all + "&limit=1", "$[0]");
        Map<?, ?> event = (Map<?, ?>) first.get("event");
        List<String> rest = api.get(
                all + "&afterId=" + event.get("id") + "&afterHandler=" + first.get("handlerId"), "$[*].event.eventId");

        assertThat(ids).hasSizeGreaterThan(1).first().isEqualTo(event.get("eventId"));
        assertThat(rest).isEqualTo(ids.subList(1, ids.size()));
    }

    @Test
    void skippedDeliveryIsGoneAndOnRecord() {
        Object eventId = DeadTrades.next(api).get("eventId");

        Map<String, Object> skipped = api.create("/operations/skip", """
                {"eventId": "%s", "handler": "order-executor-worker", "by": "ann", "reason": "too large"}
                """.formatted(eventId), "$");

        assertThat(skipped).isEqualTo(Map.of("affected", 1, "busy", 0));
        assertThat(api.<Integer>get("/operations/deliveries/count?eventId=" + eventId, "$.count"))
                .isZero();
        assertThat(api.awaitPublished()).contains("CreateOrderAttempt");
        Map<String, Object> record = api.get("/operations/log?by=ann&eventId=" + eventId, "$[0]");
        assertThat(record)
                .containsEntry("action", "SKIP")
                .containsEntry("reason", "too large")
                .containsEntry("performedBy", "ann");
    }

    @Test
    void pausedHandlerGetsNothingUntilItIsResumed() {
        assertThat(changed("/operations/handlers/push.send/pause")).isTrue();
        assertThat(changed("/operations/handlers/push.send/pause")).isFalse();
        confirmReservation();
        await().atMost(Api.DEADLINE)
                .until(() -> api.<Integer>get("/operations/deliveries/count?handler=push.send", "$.count") == 1);
        assertThat(inbox("status")).containsExactly("PENDING");

        assertThat(changed("/operations/handlers/push.send/resume")).isTrue();

        api.awaitPublished();
        assertThat(inbox("status")).containsExactly("SENT");
    }

    @Test
    void pausedStreamStandsStillUntilItIsResumed() {
        assertThat(changed("/operations/streams/push/pause")).isTrue();
        confirmReservation();
        api.subscribe("guild-" + UUID.randomUUID(), "pro");
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.events())
                        .filteredOn("eventType", "LicenseGranted")
                        .extracting("status")
                        .containsExactly("PUBLISHED"));
        assertThat(api.events())
                .filteredOn("stream", "push")
                .extracting("status")
                .containsExactly("PENDING");

        assertThat(changed("/operations/streams/push/resume")).isTrue();

        api.awaitPublished();
        assertThat(inbox("status")).containsExactly("SENT");
    }

    @Test
    void replayedEventReachesTheHandlerAgain() {
        confirmReservation();
        api.awaitPublished();
        jdbc.sql("DELETE FROM push.inbox WHERE user_id = :user")
                .param("user", user)
                .update();

        ResponseEntity<String> answer = api.post("/operations/replays", """
                {"handler": "push.reservation-confirmed", "aggregateType": "reservation", "aggregateId": "%s", "rate": 10,
                 "by": "ann", "reason": "its inbox was lost"}
                """.formatted(reservation()));

        assertThat(answer.getStatusCode().value()).isEqualTo(201);
        String replay = answer.getHeaders().getLocation().toString();
        await().atMost(Api.DEADLINE).until(() -> api.text(replay, "$.status").equals("DONE"));
        assertThat(api.find(replay))
                .containsEntry("handler", "push.reservation-confirmed")
                .containsEntry("fed", 1)
                .containsEntry("delivered", 1)
                .containsEntry("by", "ann")
                .containsEntry("reason", "its inbox was lost");
        assertThat(api.<List<Object>>get("/operations/replays", "$[*].id")).contains(api.<Object>get(replay, "$.id"));
        assertThat(inbox("title")).containsExactly("Reservation confirmed");
    }

    @Test
    void cancelledReplaySkipsUntriedDeliveries() {
        confirmReservation();
        api.awaitPublished();
        changed("/operations/handlers/push.reservation-confirmed/pause");
        try {
            String replay = "/operations/replays/"
                    + api.<Integer>create("/operations/replays", """
                            {"handler": "push.reservation-confirmed", "eventTypes": ["ReservationConfirmed"],
                             "aggregateType": "reservation", "aggregateId": "%s", "by": "ann", "reason": "a test"}
                            """.formatted(reservation()), "$.id");
            await().atMost(Api.DEADLINE).until(() -> api.<Integer>get(replay, "$.fed") == 1);

            Map<String, Object> cancelled = api.create(replay + "/cancel", "{\"by\": \"bob\"}", "$");

            assertThat(cancelled)
                    .containsEntry("status", "CANCELLED")
                    .containsEntry("fed", 0)
                    .containsEntry("delivered", 0);
        } finally {
            changed("/operations/handlers/push.reservation-confirmed/resume");
        }
        assertThat(inbox("title")).containsExactly("Reservation confirmed");
    }

    @ParameterizedTest
    @CsvSource(quoteCharacter = '`', textBlock = """
            404 | handlers/absent/pause  | {"by": "ann", "reason": "r"}                         | no instance has registered a handler 'absent'
            400 | streams/nothing/pause  | {"by": "ann", "reason": "r"}                         | no instance has polled a stream 'nothing'
            400 | retry                  | {"by": "ann", "reason": "r"}                         | the selection has no filter
            400 | retry                  | {"handler": "a", "strem": "b", "by": "c", "reason": "d"} | there is no such criterion: strem
            400 | skip                   | {"handler": "a", "status": ["GONE"], "by": "c", "reason": "d"} | Failed to read request
            400 | skip                   | {"handler": "a", "by": " ", "reason": "d"}           | by must name the operator
            400 | skip                   | {"handler": "a", "by": "ann", "reason": " "}         | Invalid request content.
            400 | skip                   | {"handler": "a", "reason": "d"}                      | by must name the operator
            404 | replays                | {"handler": "absent", "by": "ann", "reason": "r"}    | absent
            400 | replays                | {"handler": "push.reservation-confirmed", "rate": 0, "by": "ann", "reason": "r"} | rate must be at least 1
            404 | replays/4711/cancel    | {"by": "ann"}                                        | there is no replay with id 4711
            """, delimiter = '|')
    void whatBreaksARuleIsAProblem(int status, String path, String body, String detail) {
        ResponseEntity<String> answer = api.post("/operations/" + path, body);

        assertThat(answer.getStatusCode().value()).as(answer.toString()).isEqualTo(status);
        assertThat(answer.getHeaders().getContentType()).hasToString("application/problem+json");
        assertThat(answer.getBody()).contains(detail);
    }

    private boolean changed(String path) {
        return api.create(path, WISH, "$.changed");
    }

    /** The event that confirms a reservation. */
    private Object confirmReservation() {
        String reservation = api.create("/reservations", """
                {"userId": "%s", "place": "sauna", "startsAt": "2030-01-01T18:00:00Z"}
                """.formatted(user), "$.id");
        api.create("/reservations/" + reservation + "/confirmation", "", "$.id");
        return api.events().get(0).get("eventId");
    }

    /** The reservation of the first event. */
    private Object reservation() {
        return api.events().get(0).get("aggregate").toString().split("/", 2)[1];
    }

    private List<String> inbox(String field) {
        return api.get("/inbox/" + user, "$[*]." + field);
    }

    /** The event of an order that is above the largest volume. */
}
