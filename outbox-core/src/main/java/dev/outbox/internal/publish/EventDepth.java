package dev.outbox.internal.publish;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Counts the events of a chain in which a handler of each event publishes the next, and warns of long chains: they may be loops. The log
 * context carries the depth from the handled event to the published one. Safe for use by many threads.
 */
public final class EventDepth {

    /** Name of the header with the depth, and of its key in the log context. An event that no handler published has neither. */
    public static final String HEADER = "outbox.depth";

    private static final Logger log = LoggerFactory.getLogger(EventDepth.class);

    private static final String HANDLER = "handlerId";
    private static final int DEEP = 100;
    private static final int DEEPEST = 1_000_000_000;
    private static final int MOST_TYPES = 1000;
    private static final long PAUSE_NANOS = Duration.ofMinutes(1).toNanos();

    private final LongSupplier nanos;
    private final Map<String, Long> warned = new ConcurrentHashMap<>();

    EventDepth(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Returns the depth of a stored event. */
    public static int of(EventEnvelope event) {
        return parsed(event.headers().get(HEADER));
    }

    /** Sets the depth of an event that the current handler publishes. A scheduled event begins a new chain: a repeated reminder is no loop. */
    static void write(OutboxEvent event, Map<String, String> headers) {
        boolean scheduled = event.deliverAfter() != null || event.deliverAt() != null;
        if (scheduled || MDC.get(HANDLER) == null) {
            headers.remove(HEADER);
        } else {
            headers.put(HEADER, Integer.toString(parsed(MDC.get(HEADER)) + 1));
        }
    }

    /** Warns once per event type and minute. */
    void report(NewEvent event) {
        int depth = event.origin() == null ? parsed(event.body().headers().get(HEADER)) : 0;
        if (depth >= DEEP && isDue(event.type().name())) {
            log.warn(
                    "Handler '{}' has published {} of {} at the end of a chain of {} events, each published by a handler of the one"
                            + " before: unless it ends by itself, it is a loop. End it by a condition, or schedule the next event with"
                            + " deliverAfter (logged once per event type and minute)",
                    MDC.get(HANDLER),
                    event.type().name(),
                    event.aggregate(),
                    depth);
        }
    }

    private boolean isDue(String type) {
        if (warned.size() >= MOST_TYPES) {
            warned.clear();
        }
        long now = nanos.getAsLong();
        Long last = warned.putIfAbsent(type, now);
        return last == null || (now - last >= PAUSE_NANOS && warned.replace(type, last, now));
    }

    /** Another service, or a program that writes to the tables, may have written anything. */
    private static int parsed(@Nullable String depth) {
        try {
            return depth == null ? 0 : Math.max(0, Math.min(Integer.parseInt(depth), DEEPEST));
        } catch (NumberFormatException ex) {
            return 0;
        }
    }
}
