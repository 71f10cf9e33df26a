package dev.outbox.spring.tracing;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/** Names and key values of the observation {@code outbox.handle}. A bean of this type replaces {@link DefaultOutboxHandleObservationConvention}. */
public interface OutboxHandleObservationConvention extends ObservationConvention<OutboxHandleObservationContext> {

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof OutboxHandleObservationContext;
    }
}
