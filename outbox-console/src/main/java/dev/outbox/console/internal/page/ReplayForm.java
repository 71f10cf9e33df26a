package dev.outbox.console.internal.page;

import dev.outbox.console.internal.web.Inputs;
import dev.outbox.operations.ReplayRequest;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Fields of a replay, which the wizard carries from page to page. */
final class ReplayForm {

    private static final List<String> FIELDS =
            List.of("handler", "eventTypes", "from", "to", "type", "id", "rate", "reason");
    private static final int DEFAULT_RATE = 100;
    private static final int LARGEST_RATE = 100_000;

    private final Inputs inputs;

    ReplayForm(Inputs inputs) {
        this.inputs = inputs;
    }

    /** Returns what the operator typed. */
    Map<String, @Nullable Object> fields() {
        Map<String, @Nullable Object> fields = new HashMap<>();
        FIELDS.forEach((field) -> fields.put(field, inputs.text(field)));
        return fields;
    }

    /** Returns the request that the fields describe. */
    ReplayRequest request() {
        ReplayRequest request = ReplayRequest.of(inputs.required("handler").strip())
                .occurred(inputs.time("from"), inputs.time("to"))
                .rate(inputs.number("rate", DEFAULT_RATE, 1, LARGEST_RATE));
        String types = inputs.text("eventTypes");
        if (types != null) {
            request = request.eventTypes(types.split("[\\s,]+"));
        }
        String aggregateType = inputs.text("type");
        return aggregateType == null ? request : request.aggregate(aggregateType, inputs.text("id"));
    }
}
