package dev.outbox.console.internal.page;

import dev.outbox.console.internal.web.Inputs;
import dev.outbox.console.internal.web.Views;
import dev.outbox.operations.EventPage;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.spring.internal.RequestFilters;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** Search for events by aggregate, event id, type and trace. */
final class SearchPage {

    private static final int PAGE_SIZE = 50;
    private static final List<String> FIELDS = List.of("aggregateType", "aggregateId", "eventType", "trace", "after");

    private final Views views;
    private final OutboxInspector inspector;

    SearchPage(Views views, OutboxInspector inspector) {
        this.views = views;
        this.inspector = inspector;
    }

    ServerResponse page(ServerRequest request) {
        Inputs inputs = new Inputs(request);
        UUID eventId = inputs.uuid("event");
        if (eventId != null) {
            return views.redirect(request, views.links(request).event(eventId));
        }
        Map<String, String> fields = inputs.texts(FIELDS);
        Map<String, Object> model = new HashMap<>();
        model.put("fields", fields);
        if (!fields.isEmpty()) {
            search(request, fields, model);
        }
        return views.page(request, "search", model);
    }

    private void search(ServerRequest request, Map<String, String> fields, Map<String, Object> model) {
        EventPage found = inspector.findEvents(new RequestFilters(fields).events("search"), PAGE_SIZE);
        model.put("found", found.events());
        if (found.next() != null) {
            Map<String, Object> next = new HashMap<>(fields);
            next.put("after", found.next());
            model.put("next", views.links(request).to("search", next));
        }
    }
}
