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

/** Log of operations by command, latest first. */
final class OperationsPage {

    private static final int PAGE_SIZE = 50;
    private static final int MOST_ENTRIES = 1000;
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
        Map<String, Object> address = new HashMap<>(fields);
        Long open = new Inputs(request).number("open");
        OperationSelection selection = new RequestFilters(fields).operations("log");
        List<Command> found = operations.commands(selection, PAGE_SIZE + 1);
        List<Command> shown = found.subList(0, Math.min(PAGE_SIZE, found.size()));
        model.put("commands", shown);
        model.put("address", address);
        shown.stream()
                .filter((command) -> open != null && command.latest().id() == open)
                .findFirst()
                .ifPresent((command) -> model.put("opened", entries(selection, command)));
        boolean cut = found.stream().anyMatch((command) -> !command.entries().exact());
        if (cut || found.size() > PAGE_SIZE) {
            Map<String, Object> next = new HashMap<>(fields);
            next.put("after", shown.get(shown.size() - 1).oldestId());
            model.put("next", views.links(request).to("operations", next));
        }
    }

    /** Reads the latest entries of a command. */
    private List<Operation> entries(OperationSelection all, Command command) {
        OperationSelection from = new OperationSelection(
                all.eventId(),
                all.handlerId(),
                all.performedBy(),
                all.since(),
                all.before(),
                command.latest().id() + 1);
        return operations.operations(
                from, (int) Math.min(MOST_ENTRIES, command.entries().value()));
    }
}
