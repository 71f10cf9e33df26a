package dev.outbox.spring.tracing;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/** Names and key values of the observation {@code outbox.publish}. A bean of this type replaces {@link DefaultOutboxPublishObservationConvention}. */
public interface OutboxPublishObservationConvention extends ObservationConvention<OutboxPublishObservationContext> {

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof OutboxPublishObservationContext;
    }
}
