package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.outbox.sample.trading.TradingApi;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The actuator endpoint, as an operator uses it. */
@SampleTest
class EndpointTest {

    private static final String ENDPOINT = "/actuator/outbox";

    private final String user = "user-" + UUID.randomUUID();

    @LocalServerPort
    private int port;

    @Autowired
    private Api api;

    @Autowired
    private JdbcClient jdbc;

    @Test
    void overviewHasStreamsHandlersAndInstances() {
        assertThat(api.<List<String>>get(ENDPOINT, "$.streams[*].name")).contains("default", "everbit.trade.command");
        assertThat(api.<List<String>>get(ENDPOINT, "$.handlers[*].id")).contains("order-executor-worker");
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.<List<String>>get(ENDPOINT, "$.instances[*].name"))
                        .isNotEmpty());
        assertThat(api.text(ENDPOINT, "$.streams[0].backlog.oldestRetrying")).startsWith("PT");
    }

    @Test
    void deadLetterIsFoundExplainedAndSkipped() {
        String dead = deadLetter();
        String lane = "?aggregateType=order_attempt&aggregateId="
                + api.text(ENDPOINT + "/events/" + dead, "$.details.event.aggregateId");

        assertThat(api.<List<String>>get(
                        ENDPOINT + "/failures", "$.failures[?(@.handlerId == 'order-executor-worker')].errorCode"))
                .contains("TradingHaltedException");
        assertThat(api.<List<Object>>get(
                        ENDPOINT + "/deliveries" + lane + "&status=dead", "$.deliveries[*].event.eventId"))
                .containsExactly(dead);
        assertThat(api.<List<String>>get(ENDPOINT + "/lanes" + lane, "$.lanes[*].report.cause"))
                .containsExactly("DEAD_LETTERS_ONLY");
        assertThat(api.<List<String>>get(ENDPOINT + "/lanes" + lane, "$.lanes[*].remedy"))
                .first()
                .asString()
                .contains("retry the dead letters");

        Map<String, Object> outcome = api.operate("skip", "handler=order-executor-worker&event=" + dead);

        assertThat(outcome).isEqualTo(Map.of("affected", 1, "busy", 0));
        String event = ENDPOINT + "/events/" + dead;
        assertThat(api.text(event, "$.details.progress.status")).isEqualTo("PUBLISHED");
        assertThat(api.<List<String>>get(event, "$.details.operations[*].performedBy"))
                .containsExactly("ann");
        assertThat(api.<List<String>>get(event, "$.details.handlers[?(@.outcome == 'SKIPPED')].handlerId"))
                .containsExactly("order-executor-worker");
        assertThat(api.<List<String>>get(ENDPOINT + "/operations?event=" + dead, "$.operations[*].action"))
                .containsExactly("SKIP");
    }

    @Test
    void pageBeginsWhereTheOneBeforeItEnds() {
        deadLetter();
        deadLetter();
        String all = ENDPOINT + "/deliveries?status=DEAD";
        List<String> ids = api.get(all, "$.deliveries[*].event.eventId");

        String next = api.text(all + "&limit=1", "$.next");

        assertThat(ids).hasSizeGreaterThan(1);
        assertThat(api.<List<String>>get(all + "&after=" + next, "$.deliveries[*].event.eventId"))
                .isEqualTo(ids.subList(1, ids.size()));
        assertThat(api.<Object>get(all, "$.next")).isNull();
    }

    @Test
    void eventOfATraceHasItsPayloadAndHeaders() {
        api.subscribe("guild-" + UUID.randomUUID(), "pro");

        String id = api.<List<String>>get(
                        ENDPOINT + "/events?trace=" + api.traceId(),
                        "$.events[?(@.event.type == 'SubscriptionStarted')].event.eventId")
                .get(0);

        assertThat(api.<Map<String, Object>>get(ENDPOINT + "/events/" + id, "$.payload"))
                .isNotEmpty();
        assertThat(api.text(ENDPOINT + "/events/" + id, "$.headers.traceId")).isEqualTo(api.traceId());
    }

    @Test
    void replayIsStartedWatchedAndCancelled() {
        Integer id = api.create(ENDPOINT + "/replay", """
                {"selection": "handler=audit.record&eventType=OrderPlaced,OrderPaid", "rate": 1,
                 "actor": "ann", "reason": "a test"}
                """, "$.replay");

        assertThat(api.text(ENDPOINT + "/replays/" + id, "$.origin.by")).isEqualTo("ann");
        assertThat(api.<List<Integer>>get(ENDPOINT + "/replays", "$.replays[*].id"))
                .contains(id);
        assertThat(api.post(ENDPOINT + "/cancel", "{\"replay\": " + id + ", \"actor\": \"ann\"}")
                        .getStatusCode())
                .isEqualTo(HttpStatus.OK);
    }

    @Test
    void operationsArePublishedOnceInTheirStream() {
        String handler = "push.user-registered";
        api.change("pause", "handler", handler);
        api.change("resume", "handler", handler);

        String events = "$[?(@.aggregate == 'operation/%s' && @.status == 'PUBLISHED')].eventId".formatted(handler);
        await().atMost(Api.DEADLINE)
                .until(() -> api.<List<String>>get("/events", events).size() == 2);

        assertThat(api.<List<String>>get("/events", events).stream().map((event) -> api.find("/events/" + event)))
                .allSatisfy((envelope) -> assertThat(envelope).containsEntry("type", "OperationPerformed"))
                .extracting("payload")
                .extracting("action", "actor", "reason", "handlerId")
                .containsExactly(
                        tuple("RESUME_HANDLER", "ann", "a test", handler),
                        tuple("PAUSE_HANDLER", "ann", "a test", handler));
    }

    @Test
    void pausedStreamStandsStillUntilItIsResumed() {
        api.put("/devices/" + user, "");
        assertThat(api.change("pause", "stream", "push")).isTrue();
        assertThat(api.change("pause", "stream", "push")).isFalse();
        assertThat(api.<List<Boolean>>get(ENDPOINT, "$.streams[?(@.name == 'push')].paused"))
                .containsExactly(true);
        api.confirm(api.reserve(user));
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

        assertThat(api.change("resume", "stream", "push")).isTrue();

        api.awaitPublished();
        assertThat(inbox("status")).containsExactly("SENT");
    }

    @Test
    void pauseEndsByItself() {
        api.put("/devices/" + user, "");
        api.create(ENDPOINT + "/pause", """
                {"stream": "push", "duration": "1h", "actor": "ann", "reason": "a test"}
                """, "$.changed");
        assertThat(api.<List<String>>get(ENDPOINT, "$.streams[?(@.name == 'push')].pausedUntil"))
                .singleElement()
                .extracting(Instant::parse)
                .isEqualTo(Instant.parse(api.text(ENDPOINT + "/operations?limit=1", "$.operations[0].pausedUntil")));
        api.confirm(api.reserve(user));
        assertThat(api.post(ENDPOINT + "/pause", """
                        {"stream": "push", "duration": "soon", "actor": "ann", "reason": "a test"}
                        """).getStatusCode()).isEqualTo(HttpStatus.BAD_REQUEST);

        api.create(ENDPOINT + "/pause", """
                {"stream": "push", "duration": "1s", "actor": "ann", "reason": "a test"}
                """, "$.changed");

        api.awaitPublished();
        assertThat(inbox("status")).containsExactly("SENT");
        assertThat(api.change("resume", "stream", "push")).isFalse();
    }

    @Test
    void replayedEventReachesTheHandlerAgain() {
        String reservation = api.reserve(user);
        api.confirm(reservation);
        api.awaitPublished();
        jdbc.sql("DELETE FROM push.inbox WHERE user_id = :user")
                .param("user", user)
                .update();

        Map<String, Object> progress =
                api.replay("handler=push.reservation-confirmed&aggregateType=reservation&aggregateId=" + reservation);

        assertThat(progress)
                .containsEntry("fed", 1)
                .containsEntry("open", Map.of("value", 0, "exact", true))
                .containsEntry("dead", Map.of("value", 0, "exact", true));
        assertThat(inbox("title")).containsExactly("Reservation confirmed");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            retry  | {"selection": "handler=audit.record", "reason": "x"} | 'actor' is missing
            retry  | {"selection": "handler=audit.record", "actor": "ann"} | 'reason' is missing
            retry  | {"handler": "audit.record", "actor": "ann", "reason": "x"} | has no filter 'handler'
            retry  | {"actor": "ann", "reason": "x"} | 'selection' is missing
            skip   | {"selection": "hander=audit.record&status=DEAD", "actor": "a", "reason": "x"} | has no filter 'hander'
            skip   | {"selection": "status=GONE", "actor": "ann", "reason": "x"} | OPEN, DEAD or both
            skip   | {"selection": "", "actor": "ann", "reason": "x"} | must be a query string
            skip   | {"selection": "status=DEAD,OPEN", "actor": "ann", "reason": "x"} | has no filter, so it selects every
            skip   | {"selection": "handler=a&handler=b", "actor": "ann", "reason": "x"} | more than one 'handler'
            skip   | {"selection": "handler=%zz", "actor": "ann", "reason": "x"} | invalid % escape
            retry  | {"selection": "event=42", "actor": "ann", "reason": "x"} | must be a UUID
            pause  | {"actor": "ann", "reason": "x"} | either a 'handler' or a 'stream'
            pause  | {"stream": "nowhere", "actor": "ann", "reason": "x"} | no instance has polled
            replay | {"selection": "eventType=OrderPlaced", "actor": "ann", "reason": "x"} | 'handler' is missing
            cancel | {"actor": "ann"} | either a 'replay'
            pause  | {"handler": "audit.record", "actor": "ann", "reson": "x"} | pause has no filter 'reson'
            """)
    void invalidCommandIsRefusedWithItsReason(String command, String body, String error) {
        ResponseEntity<String> answer = api.post(ENDPOINT + "/" + command, body);

        assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.BAD_REQUEST);
        assertThat(answer.getBody()).contains(error);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '~',
            value = {
                "/deliveries?trace=1, has no filter 'trace'",
                "/deliveries?foo=1, deliveries has no filter 'foo'",
                "?foo=1, the overview has no filter 'foo'",
                "/events/b66d1cf6-4e4a-4f39-9e7d-52a2b5ae5a3b?foo=1, events has no filter 'foo'",
                "/deliveries?after=here, the 'next' of another page",
                "/deliveries?limit=5000, from 1 to 1000",
                "/deliveries?since=yesterday, a time such as",
                "/lanes?aggregateType=order, 'aggregateId' is missing",
                "/failures?handler=x, has no filter 'handler'",
                "/events/42, must be a UUID"
            })
    void invalidQuestionIsRefusedWithItsReason(String path, String error) {
        ResponseEntity<String> answer = api.get(ENDPOINT + path);

        assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.BAD_REQUEST);
        assertThat(answer.getBody()).contains(error);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '~',
            value = {
                "/nothing, a part 'nothing'",
                "/events/b66d1cf6-4e4a-4f39-9e7d-52a2b5ae5a3b, 'b66d1cf6-4e4a-4f39-9e7d-52a2b5ae5a3b' in 'events'",
                "/replays/4711, '4711' in 'replays'"
            })
    void whatDoesNotExistIsNotFound(String path, String missing) {
        ResponseEntity<String> answer = api.get(ENDPOINT + path);

        assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.NOT_FOUND);
        assertThat(answer.getBody()).isEqualTo("{\"error\":\"the outbox does not have " + missing + "\"}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "revive | {\"actor\": \"ann\", \"reason\": \"x\"} | a command 'revive'",
                "cancel | {\"replay\": 4711, \"actor\": \"ann\"} | a replay 4711"
            })
    void commandThatDoesNotExistIsNotFound(String command, String body, String missing) {
        ResponseEntity<String> answer = api.post(ENDPOINT + "/" + command, body);

        assertThat(answer.getStatusCode()).isEqualTo(HttpStatus.NOT_FOUND);
        assertThat(answer.getBody()).isEqualTo("{\"error\":\"the outbox does not have " + missing + "\"}");
    }

    /** A page of another site, whose name has come to mean this machine, sends commands that the browser takes for its own. */
    @ParameterizedTest
    @CsvSource({
        "localhost, 200",
        "127.0.0.1, 200",
        "evil.example, 403",
        "localhost.evil.example, 403",
        "evil.example:80, 403"
    })
    void openEndpointAnswersUnderNamesOfThisMachineOnly(String host, int status) throws IOException {
        assertThat(status(host, "GET /actuator/outbox", "")).isEqualTo(status);
        assertThat(status(
                        host,
                        "POST /actuator/outbox/resume",
                        "{\"stream\": \"push\", \"actor\": \"eve\", \"reason\": \"x\"}"))
                .isEqualTo(status);
        assertThat(status(host, "GET /licenses", "")).isEqualTo(200);
    }

    /** Sends a request with any name of the host, which no HTTP client does. */
    private int status(String host, String request, String json) throws IOException {
        try (Socket socket = new Socket("localhost", port)) {
            socket.getOutputStream()
                    .write(("""
                            %s HTTP/1.1\r
                            Host: %s\r
                            X-Forwarded-Host: localhost\r
                            Connection: close\r
                            Content-Type: application/json\r
                            Content-Length: %d\r
                            \r
                            %s""".formatted(request, host, json.length(), json)).getBytes(StandardCharsets.US_ASCII));
            String line = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
                    .readLine();
            return Integer.parseInt(line.split(" ")[1]);
        }
    }

    /** Halts a trade above the limit, and returns its event after the dead-letter method, which holds its lock. */
    private String deadLetter() {
        TradingApi trading = new TradingApi(new Api(port));
        trading.change("max-volume", "{\"volume\": 100}");
        String intent = trading.signal("BUY", "101");
        String dead = trading.awaitDeadCommand();
        trading.awaitIntent(intent, "HALTED");
        return dead;
    }

    private List<String> inbox(String field) {
        return api.get("/inbox/" + user, "$[*]." + field);
    }
}
