package dev.outbox.spring.tracing;

import dev.outbox.HandlerInterceptor;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names and key values of the observation {@code outbox.handle}. A bean of this type replaces the default; a method that it does not override keeps
 * the default values.
 */
public interface OutboxHandleObservationConvention extends ObservationConvention<OutboxHandleObservationContext> {

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof OutboxHandleObservationContext;
    }

    @Override
    default String getName() {
        return "outbox.handle";
    }

    @Override
    default String getContextualName(OutboxHandleObservationContext context) {
        return "handle " + context.getCall().handlerId();
    }

    @Override
    default KeyValues getLowCardinalityKeyValues(OutboxHandleObservationContext context) {
        HandlerInterceptor.Call call = context.getCall();
        return ObservedEvents.lowCardinality(call.events())
                .and("handler", call.handlerId(), "outcome", context.getError() == null ? "success" : "error");
    }

    @Override
    default KeyValues getHighCardinalityKeyValues(OutboxHandleObservationContext context) {
        HandlerInterceptor.Call call = context.getCall();
        return ObservedEvents.highCardinality(call.events())
                .and(
                        "attempt", Integer.toString(call.attempt()),
                        "replayed", Boolean.toString(call.replayed()));
    }
}
