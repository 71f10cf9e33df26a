package dev.outbox.internal.runtime;

import dev.outbox.internal.poll.PollerSettings;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits the concurrency of the streams to the connection pool. Each running handler may take a connection, as do each poller and the
 * lease renewer; with too few connections, they would wait for each other until the pool times out.
 */
final class PoolBudget {

    private static final Logger log = LoggerFactory.getLogger(PoolBudget.class);

    private PoolBudget() {}

    /** Returns the settings of each stream with the configured concurrency, or its share of the connections. */
    static Map<String, PollerSettings> within(OptionalInt connections, Map<String, PollerSettings> streams) {
        int configured = streams.values().stream()
                .mapToInt(PollerSettings::concurrency)
                .filter((concurrency) -> concurrency > 1)
                .sum();
        int own = streams.size() + 1;
        int left = connections.isPresent() ? Math.max(0, connections.getAsInt() - own) : Integer.MAX_VALUE;
        if (configured <= left) {
            return streams;
        }
        Map<String, PollerSettings> bounded = new TreeMap<>();
        streams.forEach((name, settings) -> {
            int share = Math.max(1, (int) ((long) settings.concurrency() * left / configured));
            bounded.put(name, settings.withConcurrency(Math.min(settings.concurrency(), share)));
            if (share < settings.concurrency()) {
                log.warn(
                        "Reduced the concurrency of stream {} to {} (configured: {}): the pool has {} connections and the outbox"
                                + " may need {}. Enlarge the pool or lower the concurrency",
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
