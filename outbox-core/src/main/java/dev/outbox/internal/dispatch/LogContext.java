package dev.outbox.internal.dispatch;

import dev.outbox.EventEnvelope;
import dev.outbox.internal.publish.EventDepth;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** Log context of an attempt: MDC entries that name the event, or up to 20 of a batch, while its handler runs. */
public final class LogContext {

    private static final int MOST_NAMED = 20;

    private final @Nullable Map<String, String> previous = MDC.getCopyOfContextMap();

    private LogContext() {}

    public static LogContext enter(EventEnvelope envelope, String handlerId, int attempt) {
        LogContext context = new LogContext();
        String traceId = envelope.headers().get(EventEnvelope.TRACE_ID);
        if (traceId != null) {
            MDC.put(EventEnvelope.TRACE_ID, traceId);
        }
        MDC.put("eventId", envelope.eventId().toString());
        MDC.put("stream", envelope.stream());
        MDC.put("eventType", envelope.eventType());
        MDC.put("aggregateType", envelope.aggregateType());
        MDC.put("aggregateId", envelope.aggregateId());
        MDC.put("handlerId", handlerId);
        MDC.put("attempt", Integer.toString(attempt));
        putDepth(EventDepth.of(envelope));
        if (envelope.replayed()) {
            MDC.put("replayed", "true");
        }
        return context;
    }

    /** Enters the context of a line that concerns many events. */
    static LogContext enterNone() {
        LogContext context = new LogContext();
        MDC.clear();
        return context;
    }

    static LogContext enterBatch(List<Attempt> attempts, String handlerId) {
        LogContext context = new LogContext();
        MDC.put("stream", attempts.get(0).envelope().stream());
        MDC.put("handlerId", handlerId);
        MDC.put("events", Integer.toString(attempts.size()));
        putAll(EventEnvelope.TRACE_ID, attempts, (event) -> event.headers().get(EventEnvelope.TRACE_ID));
        putDepth(attempts.stream()
                .mapToInt((attempt) -> EventDepth.of(attempt.envelope()))
                .max()
                .orElse(0));
        putAll("eventId", attempts, EventEnvelope::eventId);
        putAll("eventType", attempts, EventEnvelope::eventType);
        putAll("aggregateType", attempts, EventEnvelope::aggregateType);
        putAll("aggregateId", attempts, EventEnvelope::aggregateId);
        return context;
    }

    /** The publisher continues the chain of the event. */
    private static void putDepth(int depth) {
        if (depth > 0) {
            MDC.put(EventDepth.HEADER, Integer.toString(depth));
        } else {
            MDC.remove(EventDepth.HEADER);
        }
    }

    private static void putAll(String key, List<Attempt> attempts, Function<EventEnvelope, @Nullable Object> value) {
        String all = attempts.stream()
                .limit(MOST_NAMED)
                .map((attempt) -> value.apply(attempt.envelope()))
                .filter(Objects::nonNull)
                .map(Object::toString)
                .distinct()
                .collect(Collectors.joining(","));
        if (!all.isEmpty()) {
            MDC.put(key, all);
        }
    }

    /** Describes events for a log line, at most 20 of them. */
    public static String describe(Collection<EventEnvelope> events) {
        String first =
                events.stream().limit(MOST_NAMED).map(EventEnvelope::toString).collect(Collectors.joining(", "));
        return events.size() <= MOST_NAMED ? first : first + " and " + (events.size() - MOST_NAMED) + " more";
    }

    public void leave() {
        if (previous == null) {
            MDC.clear();
        } else {
            MDC.setContextMap(previous);
        }
    }
}
