package dev.outbox.internal.lane;

import dev.outbox.internal.dispatch.DeliveryOutcome;
import dev.outbox.internal.failure.Failure;
import dev.outbox.operations.Delivery.FailedAttempt;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Failed attempts of a delivery, as a JSON array: the first one and the nine latest. The SQL function outbox_add_failure adds one. */
public final class FailureHistory {

    /** Longest message that is kept, in characters. */
    public static final int LONGEST_MESSAGE = 500;

    private static final JsonMapper JSON = new JsonMapper();

    private FailureHistory() {}

    /** Returns what the statements add to a failure: the duration of the attempt, and the first lines of the stack trace. */
    public static @Nullable String details(DeliveryOutcome outcome) {
        Failure failure = outcome.failure();
        return failure == null || failure.trace().isEmpty()
                ? null
                : JSON.writeValueAsString(Map.of("millis", outcome.took().toMillis(), "trace", failure.trace()));
    }

    /** Reads the array. */
    public static List<FailedAttempt> read(String json) {
        return attempts(JSON.readTree(json));
    }

    /** Reads an object with an array for each handler. */
    public static Map<String, List<FailedAttempt>> readEach(String json) {
        Map<String, List<FailedAttempt>> handlers = new TreeMap<>();
        JSON.readTree(json).forEachEntry((handlerId, failures) -> handlers.put(handlerId, attempts(failures)));
        return handlers;
    }

    private static List<FailedAttempt> attempts(JsonNode failures) {
        return failures.valueStream().map(FailureHistory::attempt).toList();
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
