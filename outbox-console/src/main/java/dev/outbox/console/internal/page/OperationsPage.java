package dev.outbox.console.internal.page;

import dev.outbox.console.internal.web.Inputs;
import dev.outbox.console.internal.web.Views;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.OutboxOperations;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
        List<Operation> found = operations.operations(
                new OperationSelection(
                        inputs.uuid("event"),
                        inputs.text("handler"),
                        inputs.text("by"),
                        inputs.time("since"),
                        inputs.time("before"),
                        inputs.number("olderThan")),
                PAGE_SIZE + 1);
        List<Operation> shown = found.subList(0, Math.min(PAGE_SIZE, found.size()));
        Map<String, Object> fields = inputs.texts(FIELDS);
        Map<String, Object> model = new HashMap<>();
        model.put("fields", fields);
        model.put("operations", shown);
        if (found.size() > PAGE_SIZE) {
            Map<String, Object> next = new HashMap<>(fields);
            next.put("olderThan", shown.get(shown.size() - 1).id());
            model.put("next", views.links(request).to("operations", next));
        }
        return views.page(request, "operations", model);
    }
}
