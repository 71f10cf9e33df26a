package dev.outbox.spring.tracing;

import dev.outbox.EventEnvelope;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import java.util.List;

/**
 * Names and key values of the observation {@code outbox.publish}. A bean of this type replaces the default; a method that it does not override keeps
 * the default values.
 */
public interface OutboxPublishObservationConvention extends ObservationConvention<OutboxPublishObservationContext> {

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof OutboxPublishObservationContext;
    }

    @Override
    default String getName() {
        return "outbox.publish";
    }

    @Override
    default String getContextualName(OutboxPublishObservationContext context) {
        List<EventEnvelope> events = context.getPublished();
        return events.size() == 1 ? "publish " + events.get(0).eventType() : "publish events";
    }

    @Override
    default KeyValues getLowCardinalityKeyValues(OutboxPublishObservationContext context) {
        return ObservedEvents.lowCardinality(context.getPublished());
    }

    @Override
    default KeyValues getHighCardinalityKeyValues(OutboxPublishObservationContext context) {
        return ObservedEvents.highCardinality(context.getPublished());
    }
}
