package dev.outbox.spring.tracing;

import dev.outbox.EventEnvelope;
import io.micrometer.common.KeyValues;
import java.util.List;

/** Default convention of {@code outbox.publish}; {@link OutboxObservationDocumentation} lists its keys. Open for subclasses. */
public class DefaultOutboxPublishObservationConvention implements OutboxPublishObservationConvention {

    /** Creates the convention. */
    public DefaultOutboxPublishObservationConvention() {}

    @Override
    public String getName() {
        return "outbox.publish";
    }

    @Override
    public String getContextualName(OutboxPublishObservationContext context) {
        List<EventEnvelope> events = context.getPublished();
        return events.size() == 1 ? "publish " + events.get(0).eventType() : "publish events";
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(OutboxPublishObservationContext context) {
        return ObservedEvents.lowCardinality(context.getPublished());
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(OutboxPublishObservationContext context) {
        return ObservedEvents.highCardinality(context.getPublished());
    }
}
