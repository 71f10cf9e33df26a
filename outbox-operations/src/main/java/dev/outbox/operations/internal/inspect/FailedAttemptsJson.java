package dev.outbox.operations.internal.inspect;

import dev.outbox.operations.Delivery.FailedAttempt;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads the failed attempts of deliveries, as the SQL function outbox_add_failure stores them. */
final class FailedAttemptsJson {

    /** Longest message that is kept, in characters. */
    static final int LONGEST_MESSAGE = 500;

    private static final JsonMapper JSON = new JsonMapper();

    private FailedAttemptsJson() {}

    /** Reads the array of one delivery. */
    static List<FailedAttempt> read(String json) {
        return attempts(JSON.readTree(json));
    }

    /** Reads an object with an array for each handler. */
    static Map<String, List<FailedAttempt>> readEach(String json) {
        Map<String, List<FailedAttempt>> handlers = new TreeMap<>();
        JSON.readTree(json).forEachEntry((handlerId, failures) -> handlers.put(handlerId, attempts(failures)));
        return handlers;
    }

    private static List<FailedAttempt> attempts(JsonNode failures) {
        return failures.valueStream().map(FailedAttemptsJson::attempt).toList();
    }

    private static FailedAttempt attempt(JsonNode failure) {
        return new FailedAttempt(
                failure.path("attempt").asInt(0),
                OffsetDateTime.parse(failure.path("at").asString()).toInstant(),
                failure.path("code").asString(""),
                failure.path("message").asString(""),
                failure.path("worker").asString(null),
                failure.has("millis") ? Duration.ofMillis(failure.path("millis").asLong(0)) : null,
                failure.path("trace").asString(null));
    }
}
