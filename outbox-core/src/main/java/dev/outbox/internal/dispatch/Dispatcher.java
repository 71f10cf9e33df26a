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
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Offers an event to its handlers, on the calling thread. Holds no transaction, unless a handler asks for it, and writes
 * nothing: what came of it is returned. Safe for use by many threads.
 */
public final class Dispatcher {

    private static final Logger log = LoggerFactory.getLogger(Dispatcher.class);

    private final HandlerRegistry registry;
    private final PayloadReader reader;
    private final OutboxListener listener;
    private final Clock clock;
    private final Circuits circuits;
    private final Invocation invocation;
    private final Set<String> unroutedTypes = ConcurrentHashMap.newKeySet();

    /** Creates a dispatcher. */
    public Dispatcher(
            HandlerRegistry registry,
            JsonMapper mapper,
            DispatchSettings settings,
            OutboxListener listener,
            TimeAndChance time) {
        this.registry = registry;
        this.reader = new PayloadReader(mapper, settings.missingFields());
        this.listener = listener;
        this.clock = time.clock();
        this.circuits = new Circuits(settings, time.nanos());
        this.invocation = new Invocation(settings, circuits, listener, clock, time.random());
    }

    /** What is not the same in every run. */
    public record TimeAndChance(Clock clock, LongSupplier nanos, RandomGenerator random) {}

    /** Returns the handlers of this process that are to get deliveries now: neither paused, nor behind an open circuit. */
    public ActiveHandlers activeHandlers() {
        return registry.active(this::isCircuitOpen);
    }

    private boolean isCircuitOpen(HandlerDefinition handler) {
        return circuits.of(handler.id()).map((circuit) -> !circuit.isPassable()).orElse(false);
    }

    /**
     * Offers an event to every handler that wants it, each once. An event that has outlived two leases may have taken its processes down:
     * all its handlers get it in the repair lanes, where it is found out which of them does so. Stops between two handlers when the lease
     * is lost.
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

    /** Offers an event to one handler of this process again. */
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
                    "no handler in any process wants {}; such events count as published (said once per type)",
                    envelope);
        }
    }
}
