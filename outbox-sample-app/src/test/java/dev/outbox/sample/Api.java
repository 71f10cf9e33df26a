package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.jayway.jsonpath.JsonPath;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.RestClient;

/** The service as its users see it. All requests of one instance belong to one trace, which finds what they have led to. */
public final class Api {

    public static final Duration DEADLINE = Duration.ofSeconds(60);

    private final String traceId = UUID.randomUUID().toString().replace("-", "");
    private final RestClient http;
    private final RestClient otherTraces;

    public Api(int port) {
        this(port, (headers) -> {});
    }

    /** Sends headers with every request, such as a login. */
    public Api(int port, Consumer<HttpHeaders> headers) {
        this.otherTraces = RestClient.builder()
                .baseUrl("http://localhost:" + port)
                .defaultHeaders(headers)
                .defaultStatusHandler((status) -> true, (request, response) -> {})
                .build();
        this.http = otherTraces
                .mutate()
                .defaultHeader("traceparent", "00-" + traceId + "-00f067aa0ba902b7-01")
                .build();
    }

    public String traceId() {
        return traceId;
    }

    public ResponseEntity<String> post(String path, String json) {
        return send(HttpMethod.POST, path, json);
    }

    public ResponseEntity<String> put(String path, String json) {
        return send(HttpMethod.PUT, path, json);
    }

    public ResponseEntity<String> delete(String path) {
        return http.delete().uri(path).retrieve().toEntity(String.class);
    }

    public ResponseEntity<String> get(String path) {
        return http.get().uri(path).retrieve().toEntity(String.class);
    }

    /** What a JSON path finds in the answer. */
    public <T> T get(String path, String jsonPath) {
        return JsonPath.read(get(path).getBody(), jsonPath);
    }

    public Map<String, Object> find(String path) {
        return get(path, "$");
    }

    public String text(String path, String jsonPath) {
        return get(path, jsonPath);
    }

    /** Posts what must be accepted, and returns what a JSON path finds in the answer. */
    public <T> T create(String path, String json, String jsonPath) {
        ResponseEntity<String> answer = post(path, json);
        assertThat(answer.getStatusCode().is2xxSuccessful())
                .as(answer.toString())
                .isTrue();
        return JsonPath.read(answer.getBody(), jsonPath);
    }

    /** Installs the bot in a guild, which owns itself, unless it is there. Its events belong to another trace. */
    public void install(String guildId) {
        ResponseEntity<String> answer = send(otherTraces, HttpMethod.POST, "/guilds", """
                {"guildId": "%s", "installerUserId": "%s"}
                """.formatted(guildId, guildId));
        assertThat(answer.getStatusCode().is2xxSuccessful())
                .as(answer.toString())
                .isTrue();
    }

    /** Starts a subscription of a guild that has the bot, and returns its id. */
    public String subscribe(String guildId, String planCode) {
        install(guildId);
        return create("/subscriptions", """
                {"guildId": "%s", "planCode": "%s", "userId": "user-of-%s"}
                """.formatted(guildId, planCode, guildId), "$.id");
    }

    /** Places an order, and returns its id. */
    public String order(String item) {
        return create("/orders", "{\"item\": \"" + item + "\"}", "$.id");
    }

    /** Pays an order, and returns its id. */
    public String pay(String order) {
        return create("/orders/" + order + "/payment", "", "$.id");
    }

    /** Requests a reservation of a user, and returns its id. */
    public String reserve(String user) {
        return create("/reservations", """
                {"userId": "%s", "place": "sauna", "startsAt": "2030-01-01T18:00:00Z"}
                """.formatted(user), "$.id");
    }

    public void confirm(String reservation) {
        create("/reservations/" + reservation + "/confirmation", "", "$.id");
    }

    /** Pauses or resumes a handler or a stream as an operator, and returns whether it changed. */
    public boolean change(String command, String kind, String name) {
        return create("/actuator/outbox/" + command, """
                {"%s": "%s", "actor": "ann", "reason": "a test"}
                """.formatted(kind, name), "$.changed");
    }

    /** Retries or skips the selected deliveries as an operator, and returns the outcome. */
    public Map<String, Object> operate(String command, String selection) {
        return create("/actuator/outbox/" + command, """
                {"selection": "%s", "actor": "ann", "reason": "a test"}
                """.formatted(selection), "$");
    }

    /** Replays the selected events as an operator, and returns the progress when the replay is done. */
    public Map<String, Object> replay(String selection) {
        String replay =
                "/actuator/outbox/replays/" + operate("replay", selection).get("replay");
        await().atMost(DEADLINE).until(() -> text(replay, "$.status").equals("DONE"));
        return get(replay, "$.progress");
    }

    /** Queues a backtest, and returns its id. */
    public String backtest(String owner, String strategy) {
        return create("/backtests", """
                {"ownerId": "%s", "strategyKey": "%s", "market": "KRW-BTC", "candles": 1000}
                """.formatted(owner, strategy), "$.id");
    }

    /** Makes a handler fail, hang or wait. */
    public void fault(String handlerId, String fault) {
        create("/demo/faults/handlers/" + handlerId + "?" + fault, "", "$");
    }

    /** Starts an outage of a gateway, or ends it with {@code NONE}. */
    public void gateway(String name, String fault) {
        create("/demo/faults/gateways/" + name + "?fault=" + fault, "", "$");
    }

    /** Makes a subscription due, and returns what became of it. */
    public Map<String, Object> makeDue(String subscription) {
        return create("/demo/subscriptions/" + subscription + "/due", "", "$");
    }

    public List<Map<String, Object>> licensesOf(String guildId) {
        return get("/licenses", "$[?(@.guildId == '%s')]".formatted(guildId));
    }

    /** What a recipient was told, in any order. */
    public List<String> messagesTo(String recipient) {
        return get("/notifications", "$[?(@.recipient == '%s')].message".formatted(recipient));
    }

    /** What the audit log holds of this trace, in the order of recording. */
    public List<Map<String, Object>> audited() {
        return get("/audit?trace=" + traceId, "$");
    }

    /** The events of this trace, in the order of the outbox. */
    public List<Map<String, Object>> events() {
        return get("/events?trace=" + traceId, "$");
    }

    /**
     * Waits until every event of this trace is published, and returns their types in the order of the outbox. A handler publishes before
     * its own event is done, so nothing can follow after that.
     */
    public List<Object> awaitPublished() {
        await().pollInterval(Duration.ofMillis(20))
                .atMost(DEADLINE)
                .untilAsserted(() ->
                        assertThat(events()).isNotEmpty().extracting("status").containsOnly("PUBLISHED"));
        return events().stream().map((event) -> event.get("eventType")).toList();
    }

    private ResponseEntity<String> send(HttpMethod method, String path, String json) {
        return send(http, method, path, json);
    }

    private static ResponseEntity<String> send(RestClient http, HttpMethod method, String path, String json) {
        return http.method(method)
                .uri(path)
                .contentType(MediaType.APPLICATION_JSON)
                .body(json)
                .retrieve()
                .toEntity(String.class);
    }
}
