package dev.outbox.internal.dispatch;

import dev.outbox.HandlerDefinition;
import dev.outbox.internal.lease.LeaseGuard;
import dev.outbox.internal.registry.HandlerRoutes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** First delivery of a few claimed events to all their handlers. */
final class EventDispatch {

    /** Bounds what is repeated after a crash: the batch handlers follow even if not all events have come. */
    private static final long LONGEST_WAIT_NANOS = Duration.ofSeconds(1).toNanos();

    private final Invocations invocations;
    private final BlockedLanes blocked;
    private final LeaseGuard guard;
    private final long begun = System.nanoTime();
    private final List<DispatchedEvent> events = new ArrayList<>();
    private final Map<HandlerDefinition, List<Waiting>> waiting = new LinkedHashMap<>();

    /** Event that a batch handler has not got yet. */
    private record Waiting(int position, String lane, BatchItem item) {}

    EventDispatch(Invocations invocations, BlockedLanes blocked, LeaseGuard guard) {
        this.invocations = invocations;
        this.blocked = blocked;
        this.guard = guard;
    }

    /** Returns whether another event may be added. */
    boolean isOpen() {
        return events.isEmpty() || (System.nanoTime() - begun <= LONGEST_WAIT_NANOS && !guard.isOver());
    }

    /**
     * Delivers an event to its handlers of single events. Returns {@code false} if nothing is known about it. After two expired leases, the
     * event is a crash suspect: its deliveries are queued for the retry lanes, which find out which handler crashes.
     */
    boolean add(ClaimedEvent event, HandlerRoutes.Route route) {
        Map<String, DeliveryOutcome> outcomes = new LinkedHashMap<>();
        Map<HandlerDefinition, Waiting> forBatches = new LinkedHashMap<>();
        BatchItem item = invocations.firstAttempt(event.envelope(), guard);
        boolean suspect = event.attemptCount() > 1;
        Set<String> lanes = blocked.of(event);
        for (HandlerRoutes.Local local : route.local()) {
            String lane = local.lane(lanes);
            if (suspect || local.paused() || lanes.contains(lane)) {
                record(event, outcomes, lane, DeliveryOutcome.QUEUED);
            } else if (local.handler().isBatch()) {
                forBatches.put(local.handler(), new Waiting(events.size(), lane, item));
            } else {
                boolean begin = outcomes.isEmpty() || guard.mayStart();
                DeliveryOutcome outcome = begin ? invocations.invoke(local.handler(), item) : DeliveryOutcome.ABANDONED;
                if (outcome.kind() == DeliveryOutcome.Kind.ABANDONED) {
                    return false;
                }
                record(event, outcomes, lane, outcome);
            }
        }
        route.delegated().forEach((handlerId) -> record(event, outcomes, handlerId, DeliveryOutcome.QUEUED));
        forBatches.forEach((handler, waits) ->
                waiting.computeIfAbsent(handler, (key) -> new ArrayList<>()).add(waits));
        events.add(new DispatchedEvent(event, outcomes, !route.delegated().isEmpty()));
        return true;
    }

    private void record(
            ClaimedEvent event, Map<String, DeliveryOutcome> outcomes, String lane, DeliveryOutcome outcome) {
        outcomes.put(lane, outcome);
        if (outcome.blocksLane()) {
            blocked.block(event, lane);
        }
    }

    /** Delivers the events to the batch handlers. Returns the events that every handler has got, from the first on. */
    List<DispatchedEvent> finish() {
        int finished = events.size();
        for (Map.Entry<HandlerDefinition, List<Waiting>> handler : waiting.entrySet()) {
            List<Waiting> rest = handler.getValue();
            int size = invocations.batchSize(handler.getKey());
            while (!rest.isEmpty()) {
                List<Waiting> batch = rest.subList(0, Math.min(size, rest.size()));
                if (!deliver(handler.getKey(), batch)) {
                    finished = Math.min(finished, batch.get(0).position());
                    break;
                }
                rest = rest.subList(batch.size(), rest.size());
            }
        }
        return List.copyOf(events.subList(0, finished));
    }

    /** Returns {@code false} if nothing is known about the batch. A lane that an earlier batch has blocked waits. */
    private boolean deliver(HandlerDefinition handler, List<Waiting> batch) {
        List<Waiting> open = new ArrayList<>();
        for (Waiting one : batch) {
            DispatchedEvent event = events.get(one.position());
            if (blocked.of(event.event()).contains(one.lane())) {
                event.outcomes().put(one.lane(), DeliveryOutcome.QUEUED);
            } else {
                open.add(one);
            }
        }
        if (open.isEmpty()) {
            return true;
        }
        if (!guard.mayStart()) {
            return false;
        }
        List<DeliveryOutcome> outcomes =
                invocations.invoke(handler, open.stream().map(Waiting::item).toList(), guard);
        for (int i = 0; i < outcomes.size(); i++) {
            DeliveryOutcome outcome = outcomes.get(i);
            if (outcome.kind() == DeliveryOutcome.Kind.ABANDONED) {
                return false;
            }
            DispatchedEvent event = events.get(open.get(i).position());
            record(event.event(), event.outcomes(), open.get(i).lane(), outcome);
        }
        return true;
    }
}
