package dev.outbox.internal.dispatch;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.internal.lease.LeaseGuard;
import dev.outbox.internal.payload.PayloadReader;
import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.internal.registry.HandlerRegistry;
import dev.outbox.internal.registry.HandlerRoutes;
import dev.outbox.internal.registry.Subscription;
import dev.outbox.listener.OutboxListener;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Delivers events to their handlers on the calling thread and returns the outcomes; writes nothing. Safe for use by many threads. */
public final class Dispatcher {

    private static final Logger log = LoggerFactory.getLogger(Dispatcher.class);

    private final HandlerRegistry registry;
    private final OutboxListener listener;
    private final Clock clock;
    private final Circuits circuits;
    private final Invocations invocations;
    private final Set<String> unroutedTypes = ConcurrentHashMap.newKeySet();

    public Dispatcher(
            HandlerRegistry registry,
            PayloadReader reader,
            DispatchSettings settings,
            OutboxListener listener,
            Sources sources) {
        this.registry = registry;
        this.listener = listener;
        this.clock = sources.clock();
        this.circuits = new Circuits(settings, sources.nanos());
        this.invocations = new Invocations(settings, reader, circuits, listener, clock, sources.random());
    }

    /** Sources of time and of random numbers. */
    public record Sources(Clock clock, LongSupplier nanos, RandomGenerator random) {}

    /** Returns the handlers of this instance that may get deliveries now: not paused, and no open circuit. */
    public ActiveHandlers activeHandlers() {
        return registry.active(circuits::isOpen);
    }

    /** Returns the ids of the handlers of this instance whose circuit is open. */
    public Set<String> openCircuits() {
        return circuits.open();
    }

    /** Returns how many events a dispatch may take together: one, unless a handler of it takes batches. */
    public int batchSize(ClaimedEvent event) {
        return registry.route(Subscription.of(event.envelope())).local().stream()
                .mapToInt((local) -> invocations.batchSize(local.handler()))
                .max()
                .orElse(1);
    }

    /** Returns how many deliveries of a handler an attempt may take together: one, unless the handler takes batches. */
    public int batchSize(String handlerId) {
        HandlerDefinition handler = registry.find(handlerId);
        return handler == null ? 1 : invocations.batchSize(handler);
    }

    /**
     * Delivers each event to each of its handlers once: to the handlers of single events in turn, then to the batch handlers. Stops between
     * two handlers if the lease is lost. Returns the outcomes of the events that it has finished, from the first on.
     */
    public List<DispatchedEvent> dispatch(List<ClaimedEvent> events, BlockedLanes blocked, LeaseGuard guard) {
        EventDispatch dispatch = new EventDispatch(invocations, blocked, guard);
        for (ClaimedEvent event : events) {
            if (!dispatch.isOpen() || !dispatch.add(event, route(event.envelope()))) {
                break;
            }
        }
        return dispatch.finish();
    }

    /**
     * Delivers events to one handler of this instance again. Returns the outcomes of the events that it has offered, from the first on; an
     * event that was not attempted is queued.
     */
    public List<DeliveryOutcome> retry(List<DueDelivery> deliveries, LeaseGuard guard) {
        HandlerDefinition handler = registry.find(deliveries.get(0).handlerId());
        if (handler == null) {
            return List.of(DeliveryOutcome.QUEUED);
        }
        List<BatchItem> items = deliveries.stream()
                .map((delivery) -> invocations.item(delivery.envelope(), Attempt.of(delivery, guard, clock)))
                .toList();
        return handler.isBatch()
                ? invocations.invoke(handler, invocations.together(handler, items), guard)
                : List.of(invocations.invoke(handler, items.get(0)));
    }

    private HandlerRoutes.Route route(EventEnvelope envelope) {
        HandlerRoutes.Route route = registry.route(Subscription.of(envelope));
        if (!route.hasSubscribers()) {
            noteUnrouted(envelope);
        }
        return route;
    }

    private void noteUnrouted(EventEnvelope envelope) {
        listener.unrouted(envelope.stream());
        if (unroutedTypes.add(envelope.eventType())) {
            log.warn(
                    "No instance has a handler for {}; events without subscribers count as published (logged once per type)",
                    envelope);
        }
    }
}
