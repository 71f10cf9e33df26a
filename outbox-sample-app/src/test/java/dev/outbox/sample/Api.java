package dev.outbox.sample;

import com.jayway.jsonpath.JsonPath;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.client.RestClient;

/** The service as its users see it. */
final class Api {

    private final RestClient http;

    Api(int port) {
        this.http = RestClient.builder()
                .baseUrl("http://localhost:" + port)
                .defaultStatusHandler((status) -> true, (request, response) -> {})
                .build();
    }

    ResponseEntity<String> post(String path, String json) {
        return http.post()
                .uri(path)
                .contentType(MediaType.APPLICATION_JSON)
                .body(json)
                .retrieve()
                .toEntity(String.class);
    }

    ResponseEntity<String> get(String path) {
        return http.get().uri(path).retrieve().toEntity(String.class);
    }

    /** What a JSON path finds in the answer. */
    <T> T get(String path, String jsonPath) {
        return JsonPath.read(get(path).getBody(), jsonPath);
    }

    /** Starts a subscription, and returns its id. */
    String subscribe(String guildId, String planCode) {
        URI location = post("/subscriptions", """
                {"guildId": "%s", "planCode": "%s"}
                """.formatted(guildId, planCode))
                .getHeaders()
                .getLocation();
        return location.getPath().substring("/subscriptions/".length());
    }

    List<Map<String, Object>> licensesOf(String guildId) {
        return get("/licenses", "$[?(@.guildId == '%s')]".formatted(guildId));
    }

    List<Map<String, Object>> notificationsOf(String guildId) {
        return get("/notifications", "$[?(@.guildId == '%s')]".formatted(guildId));
    }

    List<Map<String, Object>> auditOf(String guildId) {
        return get("/audit", "$[?(@.payload.guild_id == '%s')]".formatted(guildId));
    }
}
