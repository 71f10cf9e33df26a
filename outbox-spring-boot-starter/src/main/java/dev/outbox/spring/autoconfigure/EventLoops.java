package dev.outbox.spring.autoconfigure;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** Warns of a handler that keeps publishing the event that it handles, for the same aggregate or unordered: each causes the next one. */
final class EventLoops implements OutboxPublisher {

    private static final Logger log = LoggerFactory.getLogger(EventLoops.class);

    private static final int MANY = 100;
    private static final Duration WINDOW = Duration.ofMinutes(1);

    private final OutboxPublisher publisher;
    private final LongSupplier nanos;
    private final Map<List<String>, Integer> counts = new ConcurrentHashMap<>();
    private volatile long windowStart;

    EventLoops(OutboxPublisher publisher, LongSupplier nanos) {
        this.publisher = publisher;
        this.nanos = nanos;
        this.windowStart = nanos.getAsLong();
    }

    @Override
    public List<EventEnvelope> publishAll(Collection<OutboxEvent> events) {
        List<EventEnvelope> published = publisher.publishAll(events);
        published.forEach(this::count);
        return published;
    }

    @Override
    public boolean cancel(String aggregateType, String aggregateId, String key) {
        return publisher.cancel(aggregateType, aggregateId, key);
    }

    /** The log context names the event whose handler runs on this thread. */
    private void count(EventEnvelope published) {
        String handler = MDC.get("handlerId");
        if (handler == null
                || !published.eventType().equals(MDC.get("eventType"))
                || !published.aggregateType().equals(MDC.get("aggregateType"))) {
            return;
        }
        // Each unordered event has an aggregate id of its own.
        boolean unordered = published.aggregateType().equals(OutboxEvent.UNORDERED);
        if (!unordered && !published.aggregateId().equals(MDC.get("aggregateId"))) {
            return;
        }
        String aggregate =
                unordered ? "aggregate type unordered" : published.aggregateType() + "/" + published.aggregateId();
        if (nanos.getAsLong() - windowStart > WINDOW.toNanos()) {
            windowStart = nanos.getAsLong();
            counts.clear();
        }
        if (counts.merge(List.of(handler, published.eventType(), aggregate), 1, Integer::sum) == MANY) {
            log.warn(
                    "Handler '{}' has published {} events {} of {} within a minute while it handled such events: unless it stops by"
                            + " itself, each causes the next. Publish another event type, or end the chain by a condition",
                    handler,
                    MANY,
                    published.eventType(),
                    aggregate);
        }
    }
}
