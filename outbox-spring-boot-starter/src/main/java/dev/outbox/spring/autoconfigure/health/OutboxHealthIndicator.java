package dev.outbox.spring.autoconfigure.health;

import dev.outbox.internal.dispatch.RunningHandlers.Invoked;
import dev.outbox.internal.metrics.QueueGauges;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.internal.runtime.RuntimeSettings.Polling;
import dev.outbox.internal.store.StatusStore.Counts;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Up while the pollers run, or need not; out of service while they should but do not; down while the database cannot be asked. Backlog,
 * dead events and stuck handlers are details and
 * no reason to restart a process. The counts are those of the gauges, so asking often costs nothing.
 */
final class OutboxHealthIndicator extends AbstractHealthIndicator {

    private final OutboxRuntime runtime;
    private final Polling polling;
    private final QueueGauges gauges;

    OutboxHealthIndicator(OutboxRuntime runtime, Polling polling, QueueGauges gauges) {
        super("the outbox could not be asked");
        this.runtime = runtime;
        this.polling = polling;
        this.gauges = gauges;
    }

    @Override
    protected void doHealthCheck(Health.Builder builder) {
        boolean running = polling.enabled() && runtime.isRunning();
        if (running || !polling.enabled()) {
            builder.up();
        } else {
            builder.outOfService();
        }
        Map<String, Object> streams = new TreeMap<>();
        polling.streams()
                .keySet()
                .forEach(
                        (stream) -> gauges.current(stream).ifPresent((counts) -> streams.put(stream, details(counts))));
        if (streams.isEmpty()) {
            builder.down().withDetail("reason", "the database refused to count the events, or did not answer in time");
        }
        builder.withDetail("polling", running).withDetail("streams", streams);
        List<Map<String, Object>> stuck = runtime.runningHandlers().stuck().stream()
                .map(OutboxHealthIndicator::details)
                .toList();
        if (!stuck.isEmpty()) {
            builder.withDetail("stuckHandlers", stuck);
        }
    }

    private static Map<String, Object> details(Invoked stuck) {
        return new TreeMap<>(Map.of(
                "handler", stuck.handlerId(),
                "stream", stuck.event().stream(),
                "event", stuck.event().toString(),
                "running", stuck.running().toString()));
    }

    private static Map<String, Object> details(Counts counts) {
        return new TreeMap<>(Map.of(
                "pending", counts.pending(),
                "processing", counts.processing(),
                "retrying", counts.retrying(),
                "dead", counts.dead(),
                "oldestPending", counts.oldestPending().toString()));
    }
}
