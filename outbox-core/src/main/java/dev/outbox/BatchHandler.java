package dev.outbox;

import java.util.List;

/**
 * Code that handles many events at a time; see {@link OutboxHandler} for the rules. An exception fails the attempt for all of them.
 *
 * @param <T> the class of the payloads; {@code EventEnvelope} without a payload class
 */
@FunctionalInterface
public interface BatchHandler<T> {

    /**
     * Handles a batch on the thread of the poller or a worker, without a transaction unless the handler deduplicates.
     *
     * @param payloads the decoded payloads, at least one, each aggregate in order
     * @param events the events of the payloads, at the same positions
     * @param outcome receives the failures of single events
     * @param context the attempt: its number is the highest of the batch, and the lease is that of all events
     * @throws Exception if the attempt failed for all events
     */
    void handle(List<T> payloads, List<EventEnvelope> events, BatchOutcome outcome, EventContext context)
            throws Exception;

    /**
     * Arguments of a batch handler, which decorators see as one payload.
     *
     * @param payloads the decoded payloads, or the envelopes of a handler without a payload class
     * @param events the events of the payloads, at the same positions
     * @param outcome receives the failures of single events
     */
    record Batch(List<Object> payloads, List<EventEnvelope> events, BatchOutcome outcome) {

        /** Copies the lists. */
        public Batch {
            payloads = List.copyOf(payloads);
            events = List.copyOf(events);
        }
    }
}
