package dev.outbox.internal.lane;

import dev.outbox.internal.dispatch.DeliveryOutcome;
import dev.outbox.internal.failure.Failure;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Failed attempts of a delivery, as a JSON array: the first one and the nine latest. The SQL function outbox_add_failure adds one. */
public final class FailureHistory {

    private static final JsonMapper JSON = new JsonMapper();

    private FailureHistory() {}

    /** Returns what the statements add to a failure: the duration of the attempt, and the first lines of the stack trace. */
    public static @Nullable String details(DeliveryOutcome outcome) {
        Failure failure = outcome.failure();
        return failure == null || failure.trace().isEmpty()
                ? null
                : JSON.writeValueAsString(Map.of("millis", outcome.took().toMillis(), "trace", failure.trace()));
    }
}
