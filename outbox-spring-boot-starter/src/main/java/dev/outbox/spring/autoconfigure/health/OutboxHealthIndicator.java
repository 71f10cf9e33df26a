package dev.outbox.spring.autoconfigure.health;

import dev.outbox.internal.dispatch.RunningHandlers.Invoked;
import dev.outbox.internal.inspect.QueueGauges;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.internal.runtime.RuntimeSettings.Polling;
import dev.outbox.operations.OutboxOverview;
import dev.outbox.operations.OutboxOverview.Backlog;
import dev.outbox.spring.internal.HealthDetails;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Reports UP while the pollers run or are disabled, OUT_OF_SERVICE while enabled pollers do not run, and DOWN with a reason while the
 * database does not answer or the oldest event exceeds the configured age. Dead letters, slow and stuck handlers, open circuits and
 * streams that no instance polls are details, because a restart would not help. What it reads is cached, so frequent checks are cheap.
 */
final class OutboxHealthIndicator extends AbstractHealthIndicator {

    private final OutboxRuntime runtime;
    private final Polling polling;
    private final QueueGauges gauges;
    private final @Nullable Duration maxOldest;
    private final Iterable<HealthDetails> modules;

    OutboxHealthIndicator(
            OutboxRuntime runtime,
            Polling polling,
            QueueGauges gauges,
            @Nullable Duration maxOldest,
            Iterable<HealthDetails> modules) {
        super("the outbox health check failed");
        this.runtime = runtime;
        this.polling = polling;
        this.gauges = gauges;
        this.maxOldest = maxOldest;
        this.modules = modules;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        boolean polls = runtime.polls();
        boolean running = polls && runtime.isRunning();
        if (running || !polls) {
            builder.up();
        } else {
            builder.outOfService();
        }
        OutboxOverview counts = gauges.all().orElse(null);
        List<String> reasons = counts != null
                ? exceeded(counts)
                : List.of("the database refused to count the events, or did not answer in time");
        if (!reasons.isEmpty()) {
            builder.down().withDetail("reason", String.join("; ", reasons));
        }
        builder.withDetail("polling", running).withDetail("streams", counts == null ? Map.of() : streams(counts));
        builder.withDetail("tables", counts == null ? Map.of() : tables(counts));
        addUnlessEmpty(
                builder, "slowHandlers", details(runtime.runningHandlers().slow()));
        addUnlessEmpty(
                builder, "stuckHandlers", details(runtime.runningHandlers().stuck()));
        addUnlessEmpty(builder, "openCircuits", new TreeSet<>(runtime.openCircuits()));
        addUnlessEmpty(builder, "unpolledStreams", runtime.unpolledStreams());
        modules.forEach((module) -> builder.withDetails(module.get()));
    }

    private static void addUnlessEmpty(Health.Builder builder, String name, Collection<?> detail) {
        if (!detail.isEmpty()) {
            builder.withDetail(name, detail);
        }
    }

    private static List<Map<String, Object>> details(List<Invoked> running) {
        return running.stream().map(OutboxHealthIndicator::details).toList();
    }

    /** Returns a sentence for each state and stream whose oldest event exceeds the limit. */
    private List<String> exceeded(OutboxOverview counts) {
        List<String> exceeded = new ArrayList<>();
        for (OutboxOverview.Stream stream : counts.streams()) {
            addIfTooOld(exceeded, "pending", stream.name(), stream.backlog().oldestPending());
            addIfTooOld(exceeded, "retrying", stream.name(), stream.backlog().oldestRetrying());
        }
        return exceeded;
    }

    private void addIfTooOld(List<String> exceeded, String state, String stream, Duration age) {
        if (maxOldest != null && age.compareTo(maxOldest) > 0) {
            exceeded.add("the oldest %s event of stream %s is %s old, above outbox.health.max-oldest of %s"
                    .formatted(state, stream, seconds(age), seconds(maxOldest)));
        }
    }

    private static String seconds(Duration duration) {
        return duration.toMillis() / 1000.0 + " s";
    }

    private Map<String, Object> streams(OutboxOverview counts) {
        Map<String, Object> streams = new TreeMap<>();
        polling.streams()
                .keySet()
                .forEach((stream) -> streams.put(stream, details(QueueGauges.backlog(counts, stream))));
        return streams;
    }

    private static Map<String, Object> tables(OutboxOverview counts) {
        Map<String, Object> tables = new TreeMap<>();
        counts.tables()
                .forEach((table) -> tables.put(
                        table.name(),
                        new TreeMap<>(Map.of(
                                "rows", table.rows(), "bytes", table.bytes(), "rowsPerDay", table.rowsPerDay()))));
        return tables;
    }

    private static Map<String, Object> details(Invoked running) {
        return new TreeMap<>(Map.of(
                "handler", running.handlerId(),
                "stream", running.event().stream(),
                "event", running.event().toString(),
                "running", running.running().toString()));
    }

    private static Map<String, Object> details(Backlog counts) {
        return new TreeMap<>(Map.of(
                "pending", counts.pending(),
                "processing", counts.processing(),
                "retrying", counts.retrying(),
                "dead", counts.dead(),
                "exact", counts.exact(),
                "oldestPending", counts.oldestPending().toString(),
                "oldestRetrying", counts.oldestRetrying().toString()));
    }
}
