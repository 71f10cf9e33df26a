package dev.outbox.console.internal.page;

import dev.outbox.console.internal.page.Snapshots.Latest;
import dev.outbox.console.internal.page.Snapshots.Snapshot;
import dev.outbox.console.internal.web.Inputs;
import dev.outbox.console.internal.web.Views;
import dev.outbox.operations.Count;
import dev.outbox.operations.FailureGroup;
import dev.outbox.operations.OutboxOverview;
import dev.outbox.operations.OutboxOverview.Backlog;
import dev.outbox.operations.OutboxOverview.Handler;
import dev.outbox.operations.OutboxOverview.Stream;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.web.servlet.function.ServerRequest;
import org.springframework.web.servlet.function.ServerResponse;

/** First page: charts, what needs attention, streams, handlers and instances. */
final class OverviewPage {

    private static final int MOST_GROUPS = 5;

    /** More idle streams, or quiet handlers, are folded. */
    private static final int MOST_QUIET = 5;

    private final Views views;
    private final Snapshots snapshots;

    OverviewPage(Views views, Snapshots snapshots) {
        this.views = views;
        this.snapshots = snapshots;
    }

    ServerResponse page(ServerRequest request) {
        return views.page(request, "overview", model(request));
    }

    ServerResponse live(ServerRequest request) {
        return views.fragment(request, "overview", "live", model(request));
    }

    ServerResponse tables(ServerRequest request) {
        Latest latest = snapshots.latest();
        Map<String, @Nullable Object> model = new HashMap<>();
        model.put("tables", latest.snapshot().overview().tables());
        model.put("asOf", latest.asOf());
        return views.page(request, "tables", model);
    }

    private Map<String, ?> model(ServerRequest request) {
        Latest latest = snapshots.latest();
        Snapshot snapshot = latest.snapshot();
        OutboxOverview overview = snapshot.overview();
        List<FailureGroup> failures = snapshot.failures();
        List<Attention.Item> attention = Attention.of(snapshot, views.links(request));
        String filter = new Inputs(request).raw("filter").strip();
        Slowness slowness = new Slowness(overview);
        Set<String> slow = slowness.slowHandlers();
        List<Stream> idle = folded(overview.streams(), filter, OverviewPage::isIdle);
        List<Handler> quiet = folded(overview.handlers(), filter, (handler) -> isQuiet(handler, slow));
        Map<String, @Nullable Object> model = new HashMap<>();
        model.put("asOf", latest.asOf());
        model.put("overview", overview);
        model.put("filter", filter);
        model.put("streams", shown(overview.streams(), filter, Stream::name, idle));
        model.put("idle", idle);
        model.put("handlers", shown(overview.handlers(), filter, Handler::id, quiet));
        model.put("quiet", quiet);
        model.put("runs", slowness.runs());
        model.put("attention", attention);
        model.put("failures", failures.subList(0, Math.min(MOST_GROUPS, failures.size())));
        model.put("moreFailures", Math.max(0, failures.size() - MOST_GROUPS));
        model.put("charts", Chart.of(snapshot.samples()));
        model.put("status", status(overview, slowness, failures, attention.size()));
        return model;
    }

    /** Returns the rows that a table folds; a filter shows all that match. */
    private static <T> List<T> folded(List<T> rows, String filter, Predicate<T> isQuiet) {
        List<T> quiet = rows.stream().filter(isQuiet).toList();
        return filter.isEmpty() && quiet.size() > MOST_QUIET ? quiet : List.of();
    }

    private static <T> List<T> shown(List<T> rows, String filter, Function<T, String> name, List<T> folded) {
        return rows.stream()
                .filter((row) -> !folded.contains(row))
                .filter((row) -> name.apply(row).toLowerCase(Locale.ROOT).contains(filter.toLowerCase(Locale.ROOT)))
                .toList();
    }

    /** A stream that delivered within the last minute is not idle, so that it does not jump between its batches. */
    private static boolean isIdle(Stream stream) {
        Backlog backlog = stream.backlog();
        return !stream.paused()
                && stream.claims().isEmpty()
                && stream.deliveredPerSecond() == 0
                && backlog.overdue().isZero()
                && List.of(backlog.pending(), backlog.processing(), backlog.retrying(), backlog.dead()).stream()
                        .allMatch((count) -> count.value() == 0);
    }

    private static boolean isQuiet(Handler handler, Set<String> slow) {
        return !handler.paused()
                && !slow.contains(handler.id())
                && handler.circuitOpenIn().isEmpty()
                && handler.deliveries().open().value() == 0
                && handler.deliveries().dead().value() == 0;
    }

    /** Headline of the page. */
    private static String status(
            OutboxOverview overview, Slowness slowness, List<FailureGroup> failures, int attention) {
        String slow = slowness.summary();
        Count dead = overview.streams().stream()
                .map((stream) -> stream.backlog().dead())
                .reduce(Count.NONE, Count::plus);
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
        return failing
                + (dead.value() == 0 ? "" : ", " + dead + (dead.value() == 1 ? " dead letter" : " dead letters"))
                + (paused == 0 ? "" : ", " + paused + " paused")
                + (slow.isEmpty() ? "" : (handlers == 0 ? ", but " : ", and ") + slow)
                + "."
                + (attention == 0
                        ? ""
                        : " " + attention + (attention == 1 ? " needs" : " need") + " attention besides failures.");
    }
}
