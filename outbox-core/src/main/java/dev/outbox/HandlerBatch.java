package dev.outbox;

import dev.outbox.HandlerCode.ContextHandler;
import java.util.List;

/**
 * Arguments of a batch handler, which decorators see as one payload.
 *
 * @param payloads the decoded payloads, or the envelopes of a handler without a payload class
 * @param events the events of the payloads, at the same positions
 * @param outcome receives the failures of single events
 */
public record HandlerBatch(List<Object> payloads, List<EventEnvelope> events, BatchOutcome outcome) {

    /** Copies the lists. */
    public HandlerBatch {
        payloads = List.copyOf(payloads);
        events = List.copyOf(events);
    }

    @SuppressWarnings("unchecked") // dispatch passes instances of the handler's payload type
    static <T> ContextHandler<Object> unpack(BatchHandler<T> handler) {
        return (payload, envelope, context) -> {
            HandlerBatch batch = (HandlerBatch) payload;
            handler.handle((List<T>) batch.payloads(), batch.events(), batch.outcome(), context);
        };
    }
}
