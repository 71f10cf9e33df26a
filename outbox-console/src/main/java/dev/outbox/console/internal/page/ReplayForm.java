package dev.outbox.console.internal.page;

import dev.outbox.console.internal.web.Inputs;
import dev.outbox.operations.ReplayRequest;
import java.util.List;
import java.util.Map;
import java.util.Set;

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
    Map<String, Object> fields() {
        return inputs.texts(FIELDS);
    }

    /** Returns the request that the fields describe. */
    ReplayRequest request() {
        String types = inputs.text("eventTypes");
        return new ReplayRequest(
                inputs.required("handler").strip(),
                inputs.time("from"),
                inputs.time("to"),
                types == null ? Set.of() : Set.copyOf(List.of(types.split("[\\s,]+"))),
                inputs.text("type"),
                inputs.text("id"),
                inputs.number("rate", DEFAULT_RATE, 1, LARGEST_RATE));
    }
}
