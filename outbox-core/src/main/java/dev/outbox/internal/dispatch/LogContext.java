package dev.outbox.internal.dispatch;

import dev.outbox.EventEnvelope;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** Log context of an attempt: MDC entries that name the event while its handler runs. */
public final class LogContext {

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
        if (envelope.replayed()) {
            names.put("replayed", "true");
        }
        MDC.setContextMap(names);
        return context;
    }

    static LogContext enterBatch(EventEnvelope first, String handlerId, int events) {
        LogContext context = new LogContext();
        Map<String, String> names = context.previous == null ? new HashMap<>() : new HashMap<>(context.previous);
        names.put("stream", first.stream());
        names.put("handlerId", handlerId);
        names.put("events", Integer.toString(events));
        MDC.setContextMap(names);
        return context;
    }

    public void leave() {
        if (previous == null) {
            MDC.clear();
        } else {
            MDC.setContextMap(previous);
        }
    }
}
