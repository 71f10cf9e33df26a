package dev.outbox.console.internal.page;

import dev.outbox.console.internal.page.Snapshots.Latest;
import dev.outbox.console.internal.web.Inputs;
import dev.outbox.console.internal.web.Views;
import dev.outbox.operations.Count;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.OutboxOverview;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.QueryTimeoutException;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** Failures by handler and error code, and the deliveries of one such group. */
final class FailuresPage {

    private static final Logger log = LoggerFactory.getLogger(FailuresPage.class);

    static final int PAGE_SIZE = 50;

    private final Views views;
    private final OutboxOperations operations;
    private final Snapshots snapshots;

    FailuresPage(Views views, OutboxOperations operations, Snapshots snapshots) {
        this.views = views;
        this.operations = operations;
        this.snapshots = snapshots;
    }

    ServerResponse groups(ServerRequest request) {
        String handler = new Inputs(request).raw("handler");
        Latest latest = snapshots.latest();
        Map<String, @Nullable Object> model = new HashMap<>();
        model.put("asOf", latest.asOf());
        model.put("handler", handler);
        model.put(
                "groups",
                latest.snapshot().failures().stream()
                        .filter((group) ->
                                handler.isEmpty() || group.handlerId().equals(handler))
                        .toList());
        model.put("openCircuits", openCircuits(latest.snapshot().overview()));
        return views.page(request, "failures", model);
    }

    private static Set<String> openCircuits(OutboxOverview overview) {
        return overview.handlers().stream()
                .filter((handler) -> !handler.circuitOpenIn().isEmpty())
                .map(OutboxOverview.Handler::id)
                .collect(Collectors.toSet());
    }

    ServerResponse group(ServerRequest request) {
        return views.page(request, "group", model(request));
    }

    /** Shows the group of a form that is refused. */
    ServerResponse refused(ServerRequest request, Map<String, ?> form, InvalidOperationException problem) {
        Map<String, @Nullable Object> model = model(request);
        model.putAll(form);
        return views.refused(request, "group", model, problem);
    }

    private Map<String, @Nullable Object> model(ServerRequest request) {
        GroupSelection selection = GroupSelection.of(new Inputs(request));
        List<Delivery> page = operations.find(selection.deliveries(), PAGE_SIZE + 1);
        List<Delivery> shown = page.subList(0, Math.min(PAGE_SIZE, page.size()));
        Map<String, @Nullable Object> model = new HashMap<>();
        model.put("selection", selection);
        model.put("after", selection.parameters().get("after"));
        model.put("deliveries", shown);
        boolean whole = page.size() <= PAGE_SIZE && selection.place() == null;
        model.put(
                "total",
                whole
                        ? new Count(page.size(), true)
                        : total(selection.fromBeginning().deliveries()));
        model.put("next", page.size() > PAGE_SIZE ? next(request, selection, shown.get(shown.size() - 1)) : null);
        return model;
    }

    /** Counts all deliveries of the selection, because a bulk operation changes all of them; returns {@code null} if that takes too long. */
    @Nullable
    Count total(DeliverySelection selection) {
        try {
            return operations.count(selection);
        } catch (InvalidOperationException | QueryTimeoutException e) {
            log.debug("The deliveries of {} were not counted in time", selection, e);
            return null;
        }
    }

    private String next(ServerRequest request, GroupSelection selection, Delivery last) {
        return views.links(request)
                .to(
                        "failures/group",
                        selection
                                .after(new DeliverySelection.Place(last.event().id(), last.handlerId()))
                                .parameters());
    }
}
