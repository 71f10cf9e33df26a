package dev.outbox.console.internal.page;

import dev.outbox.console.internal.page.Snapshots.Snapshot;
import dev.outbox.console.internal.web.Format;
import dev.outbox.console.internal.web.Inputs;
import dev.outbox.console.internal.web.Views;
import dev.outbox.operations.FailureGroup;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOverview;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;
import tools.jackson.databind.json.JsonMapper;

/** First page: charts, what needs attention, streams, handlers and instances. */
final class OverviewPage {

    private static final int MOST_GROUPS = 5;

    private final Views views;
    private final Snapshots snapshots;
    private final JsonMapper mapper = JsonMapper.builder().build();

    OverviewPage(Views views, Snapshots snapshots) {
        this.views = views;
        this.snapshots = snapshots;
    }

    ServerResponse page(ServerRequest request) {
        return views.page(request, "overview", model());
    }

    ServerResponse live(ServerRequest request) {
        return views.fragment(request, "overview", "live", model());
    }

    ServerResponse samples(ServerRequest request) {
        return views.json(request, mapper.writeValueAsBytes(Samples.of(snapshots.samples())));
    }

    /** Asks for the reason of a pause or its end. */
    ServerResponse confirm(ServerRequest request) {
        Inputs inputs = new Inputs(request);
        String action = inputs.required("action");
        String subject = inputs.required("subject");
        if (!Set.of("pause", "resume").contains(action)
                || !Set.of("handler", "stream").contains(subject)) {
            throw new InvalidOperationException("The console can pause and resume handlers and streams only.");
        }
        return views.page(
                request,
                "confirm",
                Map.<String, Object>of("action", action, "subject", subject, "name", inputs.required("name")));
    }

    private Map<String, ?> model() {
        Snapshot snapshot = snapshots.latest();
        List<FailureGroup> failures = snapshot.failures();
        return Map.<String, Object>of(
                "overview",
                snapshot.overview(),
                "failures",
                failures.subList(0, Math.min(MOST_GROUPS, failures.size())),
                "moreFailures",
                Math.max(0, failures.size() - MOST_GROUPS),
                "status",
                status(snapshot.overview(), failures));
    }

    /** Sentence for screen readers, which changes only when the state does. */
    private static String status(OutboxOverview overview, List<FailureGroup> failures) {
        long dead = failures.stream().mapToLong(FailureGroup::dead).sum();
        long handlers =
                failures.stream().map(FailureGroup::handlerId).distinct().count();
        long paused = overview.streams().stream()
                        .filter(OutboxOverview.Stream::paused)
                        .count()
                + overview.handlers().stream()
                        .filter(OutboxOverview.Handler::paused)
                        .count();
        String failing =
                handlers == 0 ? "No handler fails" : handlers + (handlers == 1 ? " handler fails" : " handlers fail");
        boolean exact = failures.stream().allMatch((group) -> group.dead() < OutboxInspector.MOST_COUNTED_OF_HANDLER);
        return failing
                + (dead == 0 ? "" : ", " + Format.total(dead, exact) + (dead == 1 ? " dead letter" : " dead letters"))
                + (paused == 0 ? "" : ", " + paused + " paused") + ".";
    }
}
