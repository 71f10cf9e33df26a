package dev.outbox.console.internal.page;

import dev.outbox.console.internal.web.Inputs;
import dev.outbox.console.internal.web.Views;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.spring.internal.RequestFilters;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** Log of operations, latest first. */
final class OperationsPage {

    private static final int PAGE_SIZE = 50;
    private static final List<String> FIELDS = List.of("event", "handler", "actor", "since", "until", "after");

    private final Views views;
    private final OutboxOperations operations;

    OperationsPage(Views views, OutboxOperations operations) {
        this.views = views;
        this.operations = operations;
    }

    ServerResponse page(ServerRequest request) {
        Map<String, String> fields = new Inputs(request).texts(FIELDS);
        List<Operation> found = operations.operations(new RequestFilters(fields).operations("log"), PAGE_SIZE + 1);
        List<Operation> shown = found.subList(0, Math.min(PAGE_SIZE, found.size()));
        Map<String, Object> model = new HashMap<>();
        model.put("fields", fields);
        model.put("operations", shown);
        if (found.size() > PAGE_SIZE) {
            Map<String, Object> next = new HashMap<>(fields);
            next.put("after", shown.get(shown.size() - 1).id());
            model.put("next", views.links(request).to("operations", next));
        }
        return views.page(request, "operations", model);
    }
}
