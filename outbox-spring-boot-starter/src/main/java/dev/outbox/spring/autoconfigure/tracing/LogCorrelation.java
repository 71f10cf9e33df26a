package dev.outbox.spring.autoconfigure.tracing;

import dev.outbox.EventEnvelope;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** Trace and span id of the log context. A tracer removes them at the end of a span that has no parent on the thread. */
record LogCorrelation(@Nullable String traceId, @Nullable String spanId) {

    private static final String SPAN_ID = "spanId";

    static LogCorrelation current() {
        return new LogCorrelation(MDC.get(EventEnvelope.TRACE_ID), MDC.get(SPAN_ID));
    }

    void restore() {
        restore(EventEnvelope.TRACE_ID, traceId);
        restore(SPAN_ID, spanId);
    }

    private static void restore(String key, @Nullable String value) {
        if (value != null) {
            MDC.put(key, value);
        }
    }
}
