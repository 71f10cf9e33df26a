package dev.outbox.internal.processing;

import dev.outbox.EventEnvelope;
import dev.outbox.internal.delivery.ClaimedEvent;
import dev.outbox.internal.dispatch.EventOutcome;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The lanes, one per handler and aggregate, that have work to do before a batch's later events: those that were blocked when
 * the batch was claimed, and those that the batch itself has blocked since. Used by one thread for each aggregate.
 */
final class BlockedLanes {

    private final Map<Aggregate, Set<String>> blockedByBatch = new ConcurrentHashMap<>();

    private record Aggregate(String type, String id) {

        static Aggregate of(EventEnvelope envelope) {
            return new Aggregate(envelope.aggregateType(), envelope.aggregateId());
        }
    }

    Set<String> handlersFor(ClaimedEvent event) {
        Set<String> byBatch = blockedByBatch.isEmpty() ? null : blockedByBatch.get(Aggregate.of(event.envelope()));
        if (byBatch == null) {
            return event.blockedHandlers();
        }
        Set<String> all = new HashSet<>(event.blockedHandlers());
        all.addAll(byBatch);
        return all;
    }

    void note(EventOutcome outcome) {
        for (EventOutcome.OfHandler handler : outcome.handlers()) {
            if (handler.outcome().blocksLane()) {
                blockedByBatch
                        .computeIfAbsent(Aggregate.of(outcome.event().envelope()), (aggregate) -> new HashSet<>())
                        .add(handler.handlerId());
            }
        }
    }
}
