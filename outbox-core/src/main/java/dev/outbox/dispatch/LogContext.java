package dev.outbox.dispatch;

import dev.outbox.EventEnvelope;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** Puts an event's names into the log context for as long as a handler runs, and then restores what was there. */
final class LogContext {

    private final @Nullable Map<String, String> previous = MDC.getCopyOfContextMap();

    private LogContext() {}

    static LogContext enter(EventEnvelope envelope, String handlerId, int attempt) {
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
        if (envelope.replayed()) {
            MDC.put("replayed", "true");
        }
        return context;
    }

    void leave() {
        if (previous == null) {
            MDC.clear();
        } else {
            MDC.setContextMap(previous);
        }
    }
}
