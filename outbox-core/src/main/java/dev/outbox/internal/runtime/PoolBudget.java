package dev.outbox.internal.runtime;

import dev.outbox.internal.processing.PollerSettings;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Divides the connections of a pool among the streams. A handler may take one connection while it runs, and each poller and the lease
 * keeper one besides: with more handlers at work than there are connections left, they would wait for each other until the pool
 * gives up. The listener has a connection of its own, outside the pool.
 */
final class PoolBudget {

    private static final Logger log = LoggerFactory.getLogger(PoolBudget.class);

    private PoolBudget() {}

    /** Returns the settings of each stream, with as much concurrency as was asked for and as there are connections. */
    static Map<String, PollerSettings> within(OptionalInt connections, Map<String, PollerSettings> streams) {
        int wanted = streams.values().stream()
                .mapToInt(PollerSettings::concurrency)
                .filter((concurrency) -> concurrency > 1)
                .sum();
        int own = streams.size() + 1;
        int left = connections.isPresent() ? Math.max(0, connections.getAsInt() - own) : Integer.MAX_VALUE;
        if (wanted <= left) {
            return streams;
        }
        Map<String, PollerSettings> bounded = new TreeMap<>();
        streams.forEach((name, settings) -> {
            int share = Math.max(1, (int) ((long) settings.concurrency() * left / wanted));
            bounded.put(name, settings.withConcurrency(Math.min(settings.concurrency(), share)));
            if (share < settings.concurrency()) {
                log.warn(
                        "stream {} handles {} aggregates at the same time instead of {}: the pool has {} connections, of which"
                                + " the outbox itself may need {}; give it more, or lower the concurrency",
                        name,
                        share,
                        settings.concurrency(),
                        connections.getAsInt(),
                        own);
            }
        });
        return bounded;
    }
}
