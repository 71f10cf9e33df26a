package dev.outbox.console.internal.page;

import dev.outbox.console.internal.web.Inputs;
import dev.outbox.console.internal.web.Views;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.LaneReport;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** Lanes of an aggregate: what each handler waits for, and what to do. */
final class LanePage {

    private static final int MOST_DEAD = 50;

    private final Views views;
    private final OutboxInspector inspector;
    private final OutboxOperations operations;

    LanePage(Views views, OutboxInspector inspector, OutboxOperations operations) {
        this.views = views;
        this.inspector = inspector;
        this.operations = operations;
    }

    ServerResponse page(ServerRequest request) {
        return views.page(request, "lane", model(request));
    }

    /** Shows the lane of a form that is refused. */
    ServerResponse refused(ServerRequest request, Map<String, ?> form, InvalidOperationException problem) {
        Map<String, Object> model = new HashMap<>(model(request));
        model.putAll(form);
        return views.refused(request, "lane", model, problem);
    }

    private Map<String, ?> model(ServerRequest request) {
        Inputs inputs = new Inputs(request);
        String type = inputs.required("type");
        String id = inputs.required("id");
        List<LaneReport> reports = inspector.lanes(type, id);
        return Map.<String, Object>of("reports", reports, "dead", dead(reports, type, id), "type", type, "id", id);
    }

    /** Finds the oldest dead letters of each handler. */
    private Map<String, List<Delivery>> dead(List<LaneReport> reports, String type, String id) {
        return reports.stream()
                .filter((report) -> report.counts().dead().value() > 0)
                .map(LaneReport::handlerId)
                .filter(Objects::nonNull)
                .collect(Collectors.toMap(
                        Function.identity(),
                        (handlerId) -> operations.find(
                                DeliverySelection.lane(handlerId, type, id).withStatus(DeliveryStatus.DEAD),
                                MOST_DEAD)));
    }
}
