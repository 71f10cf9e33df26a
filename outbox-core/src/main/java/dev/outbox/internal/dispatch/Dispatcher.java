package dev.outbox.internal.dispatch;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.internal.delivery.ClaimedEvent;
import dev.outbox.internal.delivery.DueDelivery;
import dev.outbox.internal.dispatch.EventOutcome.OfHandler;
import dev.outbox.internal.payload.PayloadReader;
import dev.outbox.internal.store.ActiveHandlers;
import dev.outbox.listener.OutboxListener;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
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

    /** Creates a dispatcher. */
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
    public EventOutcome dispatch(ClaimedEvent event, Set<String> blocked, LeaseGuard guard) {
        EventEnvelope envelope = event.envelope();
        HandlerRoutes.Route route = registry.route(envelope.eventType());
        if (!route.hasSubscribers()) {
            noteUnrouted(envelope);
            return new EventOutcome(event, List.of());
        }
        PayloadReader.EventPayload payload = reader.of(envelope);
        List<OfHandler> outcomes =
                new ArrayList<>(route.local().size() + route.delegated().size());
        boolean suspect = event.attemptCount() > 1;
        for (HandlerRoutes.Local local : route.local()) {
            if (!outcomes.isEmpty() && !guard.mayStart()) {
                outcomes.add(new OfHandler(local.handler().id(), new Outcome.Abandoned()));
                break;
            }
            String lane = local.lane(blocked);
            Outcome outcome = suspect || local.paused() || blocked.contains(lane)
                    ? new Outcome.Queued()
                    : invocation.invoke(local.handler(), envelope, payload, Attempt.first(guard, clock));
            outcomes.add(new OfHandler(lane, outcome));
            if (outcome instanceof Outcome.Abandoned) {
                break;
            }
        }
        route.delegated().forEach((handlerId) -> outcomes.add(new OfHandler(handlerId, new Outcome.Delegated())));
        return new EventOutcome(event, outcomes);
    }

    /** Delivers an event to one handler of this instance again. */
    public Outcome retry(DueDelivery delivery, LeaseGuard guard) {
        EventEnvelope envelope = delivery.envelope();
        HandlerDefinition handler = registry.find(delivery.handlerId());
        return handler == null
                ? new Outcome.Queued()
                : invocation.invoke(handler, envelope, reader.of(envelope), Attempt.of(delivery, guard, clock));
    }

    private void noteUnrouted(EventEnvelope envelope) {
        listener.unrouted(envelope.stream());
        if (unroutedTypes.add(envelope.eventType())) {
            log.warn(
                    "no instance has a handler for {}; events without subscribers count as published (logged once per type)",
                    envelope);
        }
    }
}
