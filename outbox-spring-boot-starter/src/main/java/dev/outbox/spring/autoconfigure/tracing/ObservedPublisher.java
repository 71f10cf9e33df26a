package dev.outbox.spring.autoconfigure.tracing;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.spring.tracing.OutboxPublishObservationContext;
import dev.outbox.spring.tracing.OutboxPublishObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Observes each call of a publisher, and stores the headers that continue the trace with the events. */
final class ObservedPublisher implements OutboxPublisher {

    private static final OutboxPublishObservationConvention DEFAULT = new OutboxPublishObservationConvention() {};

    /** Headers of a trace that the event already belongs to. */
    private static final Set<String> OWN_TRACE = Set.of(TraceParent.HEADER, "b3", "X-B3-TraceId");

    private final OutboxPublisher publisher;
    private final ObservationRegistry registry;
    private final @Nullable OutboxPublishObservationConvention convention;

    ObservedPublisher(
            OutboxPublisher publisher,
            ObservationRegistry registry,
            @Nullable OutboxPublishObservationConvention convention) {
        this.publisher = publisher;
        this.registry = registry;
        this.convention = convention;
    }

    @Override
    public List<EventEnvelope> publishAll(Collection<OutboxEvent> events) {
        return events.isEmpty()
                ? publisher.publishAll(events)
                : observe(
                        events,
                        (headers) -> publisher.publishAll(events.stream()
                                .map((event) -> traced(event, headers))
                                .toList()));
    }

    @Override
    public boolean cancel(String aggregateType, String aggregateId, String key) {
        return publisher.cancel(aggregateType, aggregateId, key);
    }

    private List<EventEnvelope> observe(
            Collection<OutboxEvent> events, Function<Map<String, String>, List<EventEnvelope>> call) {
        OutboxPublishObservationContext context = new OutboxPublishObservationContext(events);
        GuardedObservation observation = new GuardedObservation(
                () -> Observation.createNotStarted(convention, DEFAULT, () -> context, registry));
        try {
            Map<String, String> headers = context.getCarrier();
            List<EventEnvelope> published = call.apply(headers == null ? Map.of() : headers);
            context.setPublished(published);
            return published;
        } catch (Throwable ex) {
            observation.error(ex);
            throw ex;
        } finally {
            observation.close();
        }
    }

    /** Adds the headers of the current trace, unless the event belongs to another. Headers of the event win. */
    private static OutboxEvent traced(OutboxEvent event, Map<String, String> trace) {
        Map<String, String> own = event.headers();
        boolean ownTrace = OWN_TRACE.stream().anyMatch(own::containsKey);
        OutboxEvent traced = event;
        if (!ownTrace) {
            for (Map.Entry<String, String> header : trace.entrySet()) {
                if (!own.containsKey(header.getKey()) && !header.getKey().equals(EventEnvelope.ORIGIN)) {
                    traced = traced.withHeader(header.getKey(), header.getValue());
                }
            }
        }
        TraceParent parent = TraceParent.parse(traced.headers().get(TraceParent.HEADER));
        return parent == null || own.containsKey(EventEnvelope.TRACE_ID)
                ? traced
                : traced.withHeader(EventEnvelope.TRACE_ID, parent.traceId());
    }
}
