package dev.outbox.spring.autoconfigure.health;

import dev.outbox.internal.background.BackgroundQueries.Known;
import dev.outbox.internal.dispatch.RunningHandlers.Invoked;
import dev.outbox.internal.gauges.QueueGauges;
import dev.outbox.internal.gauges.QueueState;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.internal.runtime.RuntimeSettings.Polling;
import dev.outbox.spring.internal.HealthDetails;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Reports UP while the pollers run or are disabled, OUT_OF_SERVICE while enabled pollers do not run, and DOWN with a reason while the
 * database does not answer for longer than the counts are kept. Dead letters, slow and stuck handlers, open circuits, streams whose
 * poller fails and streams that no instance polls are details, because a
 * restart would not help. What it reads is cached, so frequent checks are cheap.
 */
final class OutboxHealthIndicator extends AbstractHealthIndicator {

    private final OutboxRuntime runtime;
    private final Polling polling;
    private final QueueGauges gauges;
    private final Iterable<HealthDetails> modules;

    OutboxHealthIndicator(OutboxRuntime runtime, Polling polling, QueueGauges gauges, Iterable<HealthDetails> modules) {
        super("the outbox health check failed");
        this.runtime = runtime;
        this.polling = polling;
        this.gauges = gauges;
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
        Known<QueueState> known = gauges.latest().orElse(null);
        QueueState counts = known == null ? null : known.value();
        if (known == null) {
            builder.down().withDetail("reason", "the database refused to count the events, or did not answer in time");
        } else if (known.trouble() != null) {
            builder.withDetail(
                    "reason",
                    "the database is slow, or does not answer: the counts are "
                            + known.age().toSeconds() + " s old");
        }
        builder.withDetail("polling", running).withDetail("streams", counts == null ? Map.of() : streams(counts));
        builder.withDetail("tables", counts == null ? Map.of() : tables(counts));
        addUnlessEmpty(
                builder, "slowHandlers", details(runtime.runningHandlers().slow()));
        addUnlessEmpty(
                builder, "stuckHandlers", details(runtime.runningHandlers().stuck()));
        addUnlessEmpty(builder, "openCircuits", new TreeSet<>(runtime.openCircuits()));
        addUnlessEmpty(builder, "failingStreams", runtime.failingStreams());
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

    private Map<String, Object> streams(QueueState counts) {
        Map<String, Object> streams = new TreeMap<>();
        polling.streams().keySet().forEach((stream) -> streams.put(stream, details(counts.stream(stream))));
        return streams;
    }

    private static Map<String, Object> tables(QueueState counts) {
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

    private static Map<String, Object> details(QueueState.Stream counts) {
        return new TreeMap<>(Map.of(
                "pending", counts.pending().value(),
                "processing", counts.processing().value(),
                "retrying", counts.retrying().value(),
                "dead", counts.dead().value(),
                "exact", counts.exact(),
                "oldestPending", counts.oldestPending().toString(),
                "oldestRetrying", counts.oldestRetrying().toString()));
    }
}
