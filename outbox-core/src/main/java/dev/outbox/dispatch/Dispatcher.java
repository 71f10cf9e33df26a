package dev.outbox.dispatch;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.dispatch.EventOutcome.OfHandler;
import dev.outbox.observe.OutboxObserver;
import dev.outbox.store.ClaimedEvent;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
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

    private final Subscriptions subscriptions;
    private final JsonMapper mapper;
    private final OutboxObserver observer;
    private final Invocation invocation;
    private final Set<String> unroutedTypes = ConcurrentHashMap.newKeySet();

    /**
     * Creates a dispatcher.
     *
     * @param subscriptions who wants an event
     * @param mapper decodes payloads
     * @param policies when a failed delivery is tried again
     * @param observer hears of every invocation
     * @param time the clock, and the source of jitter
     */
    public Dispatcher(
            Subscriptions subscriptions,
            JsonMapper mapper,
            RetryPolicies policies,
            OutboxObserver observer,
            TimeAndChance time) {
        this.subscriptions = subscriptions;
        this.mapper = mapper;
        this.observer = observer;
        this.invocation = new Invocation(policies, observer, time.clock(), time.random());
    }

    /**
     * What is not the same in every run.
     *
     * @param clock measures how long events were under way
     * @param random the source of jitter; must be safe for use by many threads
     */
    public record TimeAndChance(Clock clock, RandomGenerator random) {}

    /**
     * Returns the handlers of this process.
     *
     * @return their ids
     */
    public Set<String> handlerIds() {
        return subscriptions.local().eventTypes().keySet();
    }

    /**
     * Offers an event to every handler that wants it, each once.
     *
     * @param event the event
     * @param blocked handlers whose lane for the event's aggregate has earlier work: they are not invoked
     * @param closing whether the process is about to end
     * @return what came of it
     */
    public EventOutcome dispatch(ClaimedEvent event, Set<String> blocked, BooleanSupplier closing) {
        EventEnvelope envelope = event.envelope();
        List<HandlerDefinition> local = subscriptions.local().wanting(envelope.eventType());
        List<String> remote = subscriptions.remoteWanting(envelope.eventType());
        if (local.isEmpty() && remote.isEmpty()) {
            noteUnrouted(envelope);
            return new EventOutcome(event, List.of());
        }
        Payloads payloads = new Payloads(mapper, envelope);
        List<OfHandler> outcomes = new ArrayList<>(local.size() + remote.size());
        for (HandlerDefinition handler : local) {
            Outcome outcome = blocked.contains(handler.id())
                    ? new Outcome.Queued()
                    : invocation.invoke(handler, envelope, payloads, 0, closing);
            outcomes.add(new OfHandler(handler.id(), outcome));
            if (outcome instanceof Outcome.Abandoned) {
                break;
            }
        }
        remote.forEach((handlerId) -> outcomes.add(new OfHandler(handlerId, new Outcome.Queued())));
        return new EventOutcome(event, outcomes);
    }

    /**
     * Offers an event to one handler of this process again.
     *
     * @param envelope the event
     * @param handlerId the handler
     * @param failures how many attempts have failed before
     * @param closing whether the process is about to end
     * @return what came of it; {@link Outcome.Abandoned} if this process does not have the handler
     */
    public Outcome retry(EventEnvelope envelope, String handlerId, int failures, BooleanSupplier closing) {
        HandlerDefinition handler = subscriptions.local().find(handlerId);
        return handler == null
                ? new Outcome.Abandoned()
                : invocation.invoke(handler, envelope, new Payloads(mapper, envelope), failures, closing);
    }

    private void noteUnrouted(EventEnvelope envelope) {
        observer.unrouted(envelope.stream());
        if (unroutedTypes.add(envelope.eventType())) {
            log.warn(
                    "no handler in any process wants {}; such events count as published (said once per type)",
                    envelope);
        }
    }
}
