package dev.outbox.internal.dispatch;

import dev.outbox.EventEnvelope;
import dev.outbox.internal.publish.EventDepth;
import java.util.Collection;
import java.util.HashMap;
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
        Map<String, String> names = context.previous == null ? new HashMap<>() : new HashMap<>(context.previous);
        String traceId = envelope.headers().get(EventEnvelope.TRACE_ID);
        if (traceId != null) {
            names.put(EventEnvelope.TRACE_ID, traceId);
        }
        names.put("eventId", envelope.eventId().toString());
        names.put("stream", envelope.stream());
        names.put("eventType", envelope.eventType());
        names.put("aggregateType", envelope.aggregateType());
        names.put("aggregateId", envelope.aggregateId());
        names.put("handlerId", handlerId);
        names.put("attempt", Integer.toString(attempt));
        putDepth(names, EventDepth.of(envelope));
        if (envelope.replayed()) {
            names.put("replayed", "true");
        }
        MDC.setContextMap(names);
        return context;
    }

    static LogContext enterBatch(List<Attempt> attempts, String handlerId) {
        LogContext context = new LogContext();
        Map<String, String> names = context.previous == null ? new HashMap<>() : new HashMap<>(context.previous);
        names.put("stream", attempts.get(0).envelope().stream());
        names.put("handlerId", handlerId);
        names.put("events", Integer.toString(attempts.size()));
        putAll(
                names,
                EventEnvelope.TRACE_ID,
                attempts,
                (event) -> event.headers().get(EventEnvelope.TRACE_ID));
        putDepth(
                names,
                attempts.stream()
                        .mapToInt((attempt) -> EventDepth.of(attempt.envelope()))
                        .max()
                        .orElse(0));
        putAll(names, "eventId", attempts, EventEnvelope::eventId);
        putAll(names, "eventType", attempts, EventEnvelope::eventType);
        putAll(names, "aggregateType", attempts, EventEnvelope::aggregateType);
        putAll(names, "aggregateId", attempts, EventEnvelope::aggregateId);
        MDC.setContextMap(names);
        return context;
    }

    /** The publisher continues the chain of the event. */
    private static void putDepth(Map<String, String> names, int depth) {
        if (depth > 0) {
            names.put(EventDepth.HEADER, Integer.toString(depth));
        } else {
            names.remove(EventDepth.HEADER);
        }
    }

    private static void putAll(
            Map<String, String> names,
            String key,
            List<Attempt> attempts,
            Function<EventEnvelope, @Nullable Object> value) {
        String all = attempts.stream()
                .limit(MOST_NAMED)
                .map((attempt) -> value.apply(attempt.envelope()))
                .filter(Objects::nonNull)
                .map(Object::toString)
                .distinct()
                .collect(Collectors.joining(","));
        if (!all.isEmpty()) {
            names.put(key, all);
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
