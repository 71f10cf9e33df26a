package dev.outbox.spring.autoconfigure.tracing;

import dev.outbox.EventEnvelope;
import io.micrometer.observation.Observation;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Observation whose conventions, filters and handlers may fail without an effect on what it observes. Keeps the trace and span id of the log
 * context, which a tracer removes at the end of a span that has no parent on the thread.
 */
final class GuardedObservation implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(GuardedObservation.class);

    private static final String SPAN_ID = "spanId";

    private final @Nullable String traceId = MDC.get(EventEnvelope.TRACE_ID);
    private final @Nullable String spanId = MDC.get(SPAN_ID);
    private Observation observation = Observation.NOOP;
    private Observation.Scope scope = Observation.Scope.NOOP;

    /** Starts an observation and opens its scope, as far as it can. */
    GuardedObservation(Supplier<Observation> observations) {
        guarded("start", () -> {
            observation = observations.get().start();
            scope = observation.openScope();
        });
    }

    void error(Throwable ex) {
        guarded("record an error", () -> observation.error(ex));
    }

    /** Closes the scope and stops the observation. */
    @Override
    public void close() {
        guarded("close its scope", scope::close);
        guarded("stop", observation::stop);
        restore(EventEnvelope.TRACE_ID, traceId);
        restore(SPAN_ID, spanId);
    }

    private static void restore(String key, @Nullable String value) {
        if (value != null) {
            MDC.put(key, value);
        }
    }

    private static void guarded(String step, Runnable work) {
        try {
            work.run();
        } catch (Throwable ex) {
            log.warn("An observation failed to {}; what it observes continues", step, ex);
        }
    }
}
