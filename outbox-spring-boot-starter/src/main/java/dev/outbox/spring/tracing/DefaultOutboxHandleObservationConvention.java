package dev.outbox.spring.tracing;

import dev.outbox.HandlerCall;
import dev.outbox.spring.tracing.OutboxObservationDocumentation.HighCardinality;
import dev.outbox.spring.tracing.OutboxObservationDocumentation.LowCardinality;
import io.micrometer.common.KeyValues;

/** Default convention of {@code outbox.handle}; {@link OutboxObservationDocumentation} lists its keys. Open for subclasses. */
public class DefaultOutboxHandleObservationConvention implements OutboxHandleObservationConvention {

    /** Creates the convention. */
    public DefaultOutboxHandleObservationConvention() {}

    @Override
    public String getName() {
        return "outbox.handle";
    }

    @Override
    public String getContextualName(OutboxHandleObservationContext context) {
        return "handle " + context.getCall().handlerId();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(OutboxHandleObservationContext context) {
        HandlerCall call = context.getCall();
        return ObservedEvents.lowCardinality(call.events())
                .and(
                        LowCardinality.HANDLER.withValue(call.handlerId()),
                        LowCardinality.OUTCOME.withValue(context.getError() == null ? "success" : "error"));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(OutboxHandleObservationContext context) {
        HandlerCall call = context.getCall();
        return ObservedEvents.highCardinality(call.events())
                .and(
                        HighCardinality.ATTEMPT.withValue(Integer.toString(call.attempt())),
                        HighCardinality.REPLAYED.withValue(Boolean.toString(call.replayed())));
    }
}
