package dev.outbox.internal.dispatch;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.internal.delivery.ClaimedEvent;
import dev.outbox.internal.delivery.DeliveryOutcome;
import dev.outbox.internal.delivery.DispatchedEvent;
import dev.outbox.internal.delivery.DueDelivery;
import dev.outbox.internal.payload.PayloadReader;
import dev.outbox.internal.store.ActiveHandlers;
import dev.outbox.listener.OutboxListener;
import java.time.Clock;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/** Delivers an event to its handlers on the calling thread and returns the outcomes; writes nothing. Safe for use by many threads. */
public final class Dispatcher {

    private static final Logger log = LoggerFactory.getLogger(Dispatcher.class);

    private final HandlerRegistry registry;
    private final PayloadReader reader;
    private final OutboxListener listener;
    private final Clock clock;
    private final Map<String, Circuit> circuits;
    private final Invocation invocation;
    private final Set<String> unroutedTypes = ConcurrentHashMap.newKeySet();

    public Dispatcher(
            HandlerRegistry registry,
            JsonMapper mapper,
            DispatchSettings settings,
            OutboxListener listener,
            Sources sources) {
        this.registry = registry;
        this.reader = new PayloadReader(mapper, settings.missingFields());
        this.listener = listener;
        this.clock = sources.clock();
        this.circuits = circuits(settings, sources.nanos());
        this.invocation = new Invocation(settings, circuits, listener, clock, sources.random());
    }

    private static Map<String, Circuit> circuits(DispatchSettings settings, LongSupplier nanos) {
        Map<String, Circuit> circuits = new HashMap<>();
        settings.handlers().forEach((id, handler) -> {
            if (handler.circuit() != null) {
                circuits.put(id, new Circuit(id, handler.circuit(), nanos));
            }
        });
        return Map.copyOf(circuits);
    }

    /** Sources of time and of random numbers. */
    public record Sources(Clock clock, LongSupplier nanos, RandomGenerator random) {}

    /** Returns the handlers of this instance that may get deliveries now: not paused, and no open circuit. */
    public ActiveHandlers activeHandlers() {
        return registry.active(this::isCircuitOpen);
    }

    private boolean isCircuitOpen(HandlerDefinition handler) {
        Circuit circuit = circuits.get(handler.id());
        return circuit != null && !circuit.isPassable();
    }

    /**
     * Delivers an event to each of its handlers once, and stops between two handlers if the lease is lost. After two expired leases, the
     * event is a crash suspect: its deliveries are queued for the retry lanes, which find out which handler crashes.
     */
    public DispatchedEvent dispatch(ClaimedEvent event, Set<String> blocked, LeaseGuard guard) {
        EventEnvelope envelope = event.envelope();
        HandlerRoutes.Route route = registry.route(envelope.eventType());
        if (!route.hasSubscribers()) {
            noteUnrouted(envelope);
            return new DispatchedEvent(event, Map.of());
        }
        PayloadReader.EventPayload payload = reader.of(envelope);
        Map<String, DeliveryOutcome> outcomes = new LinkedHashMap<>();
        boolean suspect = event.attemptCount() > 1;
        for (HandlerRoutes.Local local : route.local()) {
            if (!outcomes.isEmpty() && !guard.mayStart()) {
                outcomes.put(local.handler().id(), new DeliveryOutcome.Abandoned());
                break;
            }
            String lane = local.lane(blocked);
            DeliveryOutcome outcome = suspect || local.paused() || blocked.contains(lane)
                    ? new DeliveryOutcome.Queued()
                    : invocation.invoke(local.handler(), envelope, payload, Attempt.first(guard, clock));
            outcomes.put(lane, outcome);
            if (outcome instanceof DeliveryOutcome.Abandoned) {
                break;
            }
        }
        route.delegated().forEach((handlerId) -> outcomes.put(handlerId, new DeliveryOutcome.Delegated()));
        return new DispatchedEvent(event, outcomes);
    }

    /** Delivers an event to one handler of this instance again. */
    public DeliveryOutcome retry(DueDelivery delivery, LeaseGuard guard) {
        EventEnvelope envelope = delivery.envelope();
        HandlerDefinition handler = registry.find(delivery.handlerId());
        return handler == null
                ? new DeliveryOutcome.Queued()
                : invocation.invoke(handler, envelope, reader.of(envelope), Attempt.of(delivery, guard, clock));
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
