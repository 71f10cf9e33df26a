package dev.outbox.internal.inspect;

import dev.outbox.internal.inspect.StatusStore.Counts;
import dev.outbox.internal.inspect.StatusStore.Snapshot;
import dev.outbox.internal.registry.HandlerState;
import dev.outbox.internal.registry.InstanceStore;
import dev.outbox.internal.registry.Subscription;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOverview;
import dev.outbox.operations.OutboxOverview.Deliveries;
import dev.outbox.operations.OutboxOverview.Handler;
import dev.outbox.operations.OutboxOverview.Stream;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Makes an overview of what the stores have read. */
final class OverviewReport {

    private static final Deliveries NONE = new Deliveries(0, 0, Duration.ZERO);

    private OverviewReport() {}

    static OutboxOverview of(Snapshot snapshot) {
        KnownHandlers known = new KnownHandlers(snapshot.registry());
        TreeSet<String> streams = new TreeSet<>(snapshot.counts().keySet());
        streams.addAll(snapshot.rates().keySet());
        return new OutboxOverview(
                snapshot.at(),
                streams.stream().map((name) -> stream(name, snapshot)).toList(),
                handlers(known, snapshot),
                snapshot.registry().instances().stream()
                        .map(InstanceStore.Listed::instance)
                        .toList());
    }

    private static Stream stream(String name, Snapshot snapshot) {
        Counts counts = snapshot.counts().getOrDefault(name, Counts.NONE);
        return new Stream(
                name,
                snapshot.pausedStreams().contains(name),
                new OutboxOverview.Backlog(
                        counts.pending(),
                        counts.processing(),
                        counts.retrying(),
                        counts.dead(),
                        counts.oldestPending(),
                        counts.oldestRetrying()),
                snapshot.rates().getOrDefault(name, 0.0),
                snapshot.claims().getOrDefault(name, List.of()));
    }

    private static List<Handler> handlers(KnownHandlers known, Snapshot snapshot) {
        Map<String, Deliveries> deliveries = new HashMap<>();
        snapshot.deliveries()
                .forEach((id, own) -> deliveries.merge(known.currentId(id), own, OverviewReport::together));
        return known.current().stream()
                .map((handler) -> handler(handler, deliveries.getOrDefault(handler.id(), NONE), known))
                .toList();
    }

    private static Deliveries together(Deliveries one, Deliveries other) {
        return new Deliveries(
                bounded(one.open() + other.open()),
                bounded(one.dead() + other.dead()),
                one.lag().compareTo(other.lag()) < 0 ? other.lag() : one.lag());
    }

    private static long bounded(long count) {
        return Math.min(count, OutboxInspector.MOST_COUNTED_OF_HANDLER);
    }

    /** A handler that was paused before its first registration has no subscription. */
    private static Handler handler(HandlerState handler, Deliveries deliveries, KnownHandlers known) {
        boolean registered = !handler.paused() || !handler.subscriptions().isEmpty();
        return new Handler(
                handler.id(),
                handler.subscriptions().stream()
                        .map(Subscription::toString)
                        .collect(Collectors.toCollection(TreeSet::new)),
                handler.paused(),
                registered ? handler.heartbeat().at() : null,
                deliveries,
                known.circuitOpenIn(handler.id()));
    }
}
