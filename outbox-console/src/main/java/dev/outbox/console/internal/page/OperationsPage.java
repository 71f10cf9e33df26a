package dev.outbox.console.internal.page;

import dev.outbox.console.internal.web.Inputs;
import dev.outbox.console.internal.web.Views;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.Operation;
import dev.outbox.operations.Operation.Command;
import dev.outbox.operations.OperationSelection;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.spring.internal.RequestFilters;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** Log of operations by command, latest first, and the operations of one command. */
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
        Map<String, Object> model = new HashMap<>();
        model.put("fields", fields);
        try {
            list(request, fields, model);
            return views.page(request, "operations", model);
        } catch (InvalidOperationException e) {
            return views.refused(request, "operations", model, e);
        }
    }

    private void list(ServerRequest request, Map<String, String> fields, Map<String, Object> model) {
        List<Command> found = operations.commands(new RequestFilters(fields).operations("log"), PAGE_SIZE + 1);
        List<Command> shown = found.subList(0, Math.min(PAGE_SIZE, found.size()));
        model.put("commands", shown);
        if (found.size() > PAGE_SIZE) {
            Map<String, Object> next = new HashMap<>(fields);
            next.put("after", shown.get(PAGE_SIZE - 1).id());
            model.put("next", views.links(request).to("operations", next));
        }
    }

    /** Lists the operations of a command. */
    ServerResponse command(ServerRequest request) {
        String id = request.pathVariable("id");
        Long after = new Inputs(request).number("after");
        List<Operation> found = id.matches("\\d{1,18}")
                ? operations.operations(OperationSelection.ofCommand(Long.parseLong(id), after), PAGE_SIZE + 1)
                : List.of();
        if (found.isEmpty()) {
            return views.notFound(request, "The log has no operations of the command " + id + ".");
        }
        List<Operation> shown = found.subList(0, Math.min(PAGE_SIZE, found.size()));
        Map<String, Object> model = new HashMap<>();
        model.put("operations", shown);
        if (found.size() > PAGE_SIZE) {
            model.put(
                    "next",
                    views.links(request)
                            .to(
                                    "operations/" + id,
                                    "after",
                                    shown.get(PAGE_SIZE - 1).id()));
        }
        return views.page(request, "command", model);
    }
}
