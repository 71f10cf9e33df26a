package dev.outbox.spring.autoconfigure.tracing;

import dev.outbox.EventEnvelope;
import dev.outbox.spring.tracing.OutboxHandleObservationContext;
import io.micrometer.observation.Observation;
import io.micrometer.tracing.Link;
import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.micrometer.tracing.handler.PropagatingReceiverTracingObservationHandler;
import io.micrometer.tracing.propagation.Propagator;
import java.util.LinkedHashMap;
import java.util.Map;

/** Begins the span of an invocation: in the trace of its event, or in a new trace with links to those of its events. */
final class HandleTracingObservationHandler
        extends PropagatingReceiverTracingObservationHandler<OutboxHandleObservationContext> {

    private static final int MOST_LINKS = 32;

    HandleTracingObservationHandler(Tracer tracer, Propagator propagator) {
        super(tracer, propagator);
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof OutboxHandleObservationContext;
    }

    /** The extracted context keeps the baggage in a new trace too. */
    @Override
    public Span.Builder customizeExtractedSpan(OutboxHandleObservationContext context, Span.Builder builder) {
        if (!context.isLinked()) {
            return builder;
        }
        Span.Builder linked = builder.setNoParent();
        for (TraceParent parent : distinctTraces(context).values()) {
            linked = linked.addLink(new Link(getTracer()
                    .traceContextBuilder()
                    .traceId(parent.traceId())
                    .spanId(parent.spanId())
                    .sampled(parent.sampled())
                    .build()));
        }
        return linked;
    }

    private static Map<String, TraceParent> distinctTraces(OutboxHandleObservationContext context) {
        Map<String, TraceParent> traces = new LinkedHashMap<>();
        for (EventEnvelope event : context.getCall().events()) {
            TraceParent parent = TraceParent.parse(event.headers().get(TraceParent.HEADER));
            if (parent != null && traces.size() < MOST_LINKS) {
                traces.putIfAbsent(parent.traceId(), parent);
            }
        }
        return traces;
    }
}
