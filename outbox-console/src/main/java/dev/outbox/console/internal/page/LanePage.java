package dev.outbox.console.internal.page;

import dev.outbox.console.internal.web.Inputs;
import dev.outbox.console.internal.web.Views;
import dev.outbox.operations.LaneReport;
import dev.outbox.operations.OutboxInspector;
import java.util.List;
import java.util.Map;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** Lanes of an aggregate: what each handler waits for, and what to do. */
final class LanePage {

    private final Views views;
    private final OutboxInspector inspector;

    LanePage(Views views, OutboxInspector inspector) {
        this.views = views;
        this.inspector = inspector;
    }

    ServerResponse page(ServerRequest request) {
        Inputs inputs = new Inputs(request);
        String type = inputs.required("type");
        String id = inputs.required("id");
        List<LaneReport> reports = inspector.lanes(type, id);
        return views.page(request, "lane", Map.<String, Object>of("reports", reports, "type", type, "id", id));
    }
}
