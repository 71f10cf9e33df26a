package dev.outbox.console.internal.page;

import dev.outbox.console.internal.web.Inputs;
import dev.outbox.console.internal.web.Views;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.OutboxOperations;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** Log of operations, latest first. */
final class OperationsPage {

    private static final int PAGE_SIZE = 50;
    private static final List<String> FIELDS = List.of("by", "handler", "event", "since", "before");

    private final Views views;
    private final OutboxOperations operations;

    OperationsPage(Views views, OutboxOperations operations) {
        this.views = views;
        this.operations = operations;
    }

    ServerResponse page(ServerRequest request) {
        Inputs inputs = new Inputs(request);
        long olderThan = inputs.number("olderThan", Long.MAX_VALUE);
        List<Operation> found = operations.operations(
                new OperationSelection(
                        inputs.uuid("event"),
                        inputs.text("handler"),
                        inputs.text("by"),
                        new DeliverySelection.Span(inputs.time("since"), inputs.time("before")),
                        olderThan == Long.MAX_VALUE ? null : olderThan),
                PAGE_SIZE + 1);
        List<Operation> shown = found.subList(0, Math.min(PAGE_SIZE, found.size()));
        Map<String, @Nullable Object> fields = new HashMap<>();
        FIELDS.forEach((field) -> fields.put(field, inputs.text(field)));
        Map<String, @Nullable Object> model = new HashMap<>();
        model.put("fields", fields);
        model.put("operations", shown);
        if (found.size() > PAGE_SIZE) {
            Map<String, @Nullable Object> next = new HashMap<>(fields);
            next.put("olderThan", shown.get(shown.size() - 1).id());
            next.values().removeIf((value) -> value == null);
            model.put("next", views.links(request).to("operations", next));
        }
        return views.page(request, "operations", model);
    }
}
