package dev.outbox.internal.dispatch;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.internal.failure.Failure;
import dev.outbox.internal.lease.ClaimKey;
import dev.outbox.internal.lease.LeaseGuard;
import dev.outbox.internal.payload.PayloadReader;
import dev.outbox.internal.publish.Aggregate;
import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.internal.registry.HandlerRegistry;
import dev.outbox.internal.registry.HandlerRoutes;
import dev.outbox.internal.registry.Subscription;
import dev.outbox.listener.OutboxListener;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Delivers events to their handlers on the calling thread and returns the outcomes; writes nothing. Safe for use by many threads. */
public final class Dispatcher {

    private static final Logger log = LoggerFactory.getLogger(Dispatcher.class);

    /** Bounds what is repeated after a crash: the batch handlers follow even if not all events have come. */
    private static final long LONGEST_WAIT_NANOS = Duration.ofSeconds(1).toNanos();

    private final HandlerRegistry registry;
    private final OutboxListener listener;
    private final Circuits circuits;
    private final DispatchSettings settings;
    private final PayloadReader reader;
    private final FailureLog failureLog;
    private final FailedAttempts failures;
    private final Invocation invocation;
    private final Set<String> unroutedTypes = ConcurrentHashMap.newKeySet();

    public Dispatcher(
            HandlerRegistry registry,
            PayloadReader reader,
            DispatchSettings settings,
            OutboxListener listener,
            Clock clock,
            LongSupplier nanos,
            RandomGenerator random,
            FailureObserver observer) {
        this.registry = registry;
        this.listener = listener;
        this.reader = reader;
        this.settings = settings;
        this.circuits = new Circuits(settings, nanos);
        this.failureLog = new FailureLog(nanos);
        this.failures = new FailedAttempts(settings, random, failureLog, observer);
        this.invocation = new Invocation(failures, settings, circuits, listener, clock);
    }

    /** An event that this process may handle now, and how many of its claims have expired. */
    public record ClaimedEvent(
            EventEnvelope envelope,
            int expiredClaims,
            Set<String> blockedHandlers,
            @Nullable Failure unreadable) {

        public ClaimedEvent {
            blockedHandlers = Set.copyOf(blockedHandlers);
        }

        public ClaimedEvent(EventEnvelope envelope, int expiredClaims, Set<String> blockedHandlers) {
            this(envelope, expiredClaims, blockedHandlers, null);
        }

        /** Returns the event as it was read, or with the failure of reading it. */
        public ClaimedEvent with(EventEnvelope read, @Nullable Failure failure) {
            return new ClaimedEvent(read, expiredClaims, blockedHandlers, failure);
        }

        /** Returns whether this is a crash suspect, that is, whether two of its claims expired. Its payload is not read. */
        public boolean isSuspect() {
            return expiredClaims > 1;
        }

        public Aggregate aggregate() {
            return Aggregate.of(envelope);
        }
    }

    /** Event that was offered to all its handlers, with the outcome for each handler id; delegated if only other instances have one of them. */
    public record DispatchedEvent(ClaimedEvent event, Map<String, DeliveryOutcome> outcomes, boolean delegated) {

        /** Returns the id of the event's row. */
        public long id() {
            return event.envelope().id();
        }

        /** Returns whether every handler has handled the event. */
        public boolean succeeded() {
            for (DeliveryOutcome outcome : outcomes.values()) {
                if (!outcome.succeeded()) {
                    return false;
                }
            }
            return true;
        }

        /** Returns whether the outcome of a handler comes later. */
        public boolean isLater() {
            for (DeliveryOutcome outcome : outcomes.values()) {
                if (outcome.isLater()) {
                    return true;
                }
            }
            return false;
        }

        /** Returns whether a handler is left to try. */
        public boolean isOpen() {
            for (DeliveryOutcome outcome : outcomes.values()) {
                if (!outcome.succeeded() && !outcome.isDead()) {
                    return true;
                }
            }
            return false;
        }
    }

    /** A delivery that this process may attempt now. */
    public record DueDelivery(
            EventEnvelope envelope,
            String handlerId,
            int attempt,
            int failures,
            int crashes,
            ClaimKey claim,
            @Nullable Failure unreadable) {

        public DueDelivery(
                EventEnvelope envelope, String handlerId, int attempt, int failures, int crashes, ClaimKey claim) {
            this(envelope, handlerId, attempt, failures, crashes, claim, null);
        }

        /** Returns the delivery with its event as it was read, or with the failure of reading it. */
        public DueDelivery with(EventEnvelope read, @Nullable Failure failure) {
            return new DueDelivery(read, handlerId, attempt, failures, crashes, claim, failure);
        }

        /** Returns whether this is a crash suspect, that is, whether two of its leases expired. */
        public boolean isSuspect() {
            return crashes > 1;
        }
    }

    /** Lanes of claimed events that wait: the claim found them blocked, or an earlier event of the claim has blocked them. */
    public static final class BlockedLanes {

        /** Handlers that the claim's own events have blocked for an aggregate; one thread works on an aggregate. */
        private final Map<Aggregate, Set<String>> blocked = new ConcurrentHashMap<>();

        /** Returns the ids of the handlers that must not get an event yet. */
        private Set<String> handlers(ClaimedEvent event) {
            Set<String> byEvents = blocked.isEmpty() ? null : blocked.get(event.aggregate());
            if (byEvents == null) {
                return event.blockedHandlers();
            }
            Set<String> all = new HashSet<>(event.blockedHandlers());
            all.addAll(byEvents);
            return all;
        }

        /** Blocks a handler for the later events of an aggregate. */
        private void block(ClaimedEvent event, String handlerId) {
            blocked.computeIfAbsent(event.aggregate(), (aggregate) -> new HashSet<>())
                    .add(handlerId);
        }
    }

    /** Returns the handlers of this instance that may get deliveries now: not paused, and no open circuit. */
    public ActiveHandlers activeHandlers() {
        return registry.active(circuits::isOpen);
    }

    /** Returns the ids of the handlers of this instance whose circuit is open. */
    public Set<String> openCircuits() {
        return circuits.open();
    }

    /** Returns what the log holds about failed attempts. */
    public FailureLog failureLog() {
        return failureLog;
    }

    /** Returns how many events a dispatch may take together: one, unless a handler of it takes batches. */
    public int batchSize(ClaimedEvent event) {
        return registry.route(Subscription.of(event.envelope())).local().stream()
                .mapToInt((local) -> settings.batchSize(event.envelope().stream(), local.handler()))
                .max()
                .orElse(1);
    }

    /** Returns how many deliveries of a handler in a stream an attempt may take together: one, unless the handler takes batches. */
    public int batchSize(String stream, String handlerId) {
        HandlerDefinition handler = registry.find(handlerId);
        return handler == null ? 1 : settings.batchSize(stream, handler);
    }

    /**
     * Delivers each event to each of its handlers once: to the handlers of single events in turn, then to the batch handlers. Stops between
     * two handlers if the lease is lost. Returns the outcomes of the events that it has finished, from the first on.
     */
    public List<DispatchedEvent> dispatch(List<ClaimedEvent> events, BlockedLanes blocked, LeaseGuard guard) {
        FirstDelivery dispatch = new FirstDelivery(blocked, guard);
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
        List<Attempt> attempts = deliveries.stream()
                .map((due) -> attempt(due.envelope(), due.attempt(), due.failures(), due.crashes(), guard))
                .toList();
        Failure unreadable = deliveries.get(0).unreadable();
        if (unreadable != null) {
            return List.of(invocation.unreadable(handler, attempts.get(0), unreadable));
        }
        return invocation.deliver(handler, failures.together(handler, attempts));
    }

    /** Returns whether a delivery becomes a dead letter without an attempt, because too many leases expired under it. */
    public boolean isCrashLoop(DueDelivery delivery) {
        return settings.retry()
                        .of(delivery.envelope().stream(), delivery.handlerId())
                        .maxCrashes()
                < delivery.crashes();
    }

    private Attempt attempt(EventEnvelope envelope, int number, int failed, int crashes, LeaseGuard guard) {
        return new Attempt(envelope, reader.of(envelope), number, failed, crashes, guard);
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

    /** First delivery of a few claimed events to all their handlers. */
    private final class FirstDelivery {

        private final BlockedLanes blocked;
        private final LeaseGuard guard;
        private final long begun = System.nanoTime();
        private final List<DispatchedEvent> events = new ArrayList<>();
        private final Map<HandlerDefinition, List<Waiting>> waiting = new LinkedHashMap<>();

        /** Event that a handler has not got yet. */
        private record Waiting(int position, DispatchedEvent event, String lane, Attempt attempt) {}

        FirstDelivery(BlockedLanes blocked, LeaseGuard guard) {
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
        boolean add(ClaimedEvent claimed, HandlerRoutes.Route route) {
            DispatchedEvent event = new DispatchedEvent(
                    claimed, new LinkedHashMap<>(), !route.delegated().isEmpty());
            Map<HandlerDefinition, Waiting> forBatches = new LinkedHashMap<>();
            Attempt attempt = attempt(claimed.envelope(), 1, 0, 0, guard);
            Failure unreadable = claimed.unreadable();
            Set<String> lanes = blocked.handlers(claimed);
            for (HandlerRoutes.Local local : route.local()) {
                HandlerDefinition handler = local.handler();
                Waiting one = new Waiting(events.size(), event, local.lane(lanes), attempt);
                if (unreadable != null) {
                    record(event, one.lane(), invocation.unreadable(handler, attempt, unreadable));
                } else if (claimed.isSuspect()
                        || local.paused()
                        || lanes.contains(one.lane())
                        || circuits.queues(handler)) {
                    record(event, one.lane(), DeliveryOutcome.QUEUED);
                } else if (handler.isBatch()) {
                    forBatches.put(handler, one);
                } else if (!deliver(handler, List.of(one))) {
                    return false;
                }
            }
            route.delegated().forEach((handlerId) -> record(event, handlerId, DeliveryOutcome.QUEUED));
            forBatches.forEach((handler, one) ->
                    waiting.computeIfAbsent(handler, (key) -> new ArrayList<>()).add(one));
            events.add(event);
            return true;
        }

        private void record(DispatchedEvent event, String lane, DeliveryOutcome outcome) {
            event.outcomes().put(lane, outcome);
            if (outcome.blocksLane()) {
                blocked.block(event.event(), lane);
            }
        }

        /** Delivers the events to the batch handlers. Returns the events that every handler has got, from the first on. */
        List<DispatchedEvent> finish() {
            int finished = events.size();
            for (Map.Entry<HandlerDefinition, List<Waiting>> handler : waiting.entrySet()) {
                List<Waiting> rest = handler.getValue();
                int size = settings.batchSize(rest.get(0).attempt().envelope().stream(), handler.getKey());
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

        /** Returns {@code false} if nothing is known about the events. A lane that an earlier event has blocked waits. */
        private boolean deliver(HandlerDefinition handler, List<Waiting> batch) {
            List<Waiting> open = new ArrayList<>(batch.size());
            List<Attempt> attempts = new ArrayList<>(batch.size());
            for (Waiting one : batch) {
                if (blocked.handlers(one.event().event()).contains(one.lane())) {
                    one.event().outcomes().put(one.lane(), DeliveryOutcome.QUEUED);
                } else {
                    open.add(one);
                    attempts.add(one.attempt());
                }
            }
            if (open.isEmpty()) {
                return true;
            }
            if (!guard.mayStart()) {
                return false;
            }
            List<DeliveryOutcome> outcomes = invocation.deliver(handler, attempts);
            for (int i = 0; i < outcomes.size(); i++) {
                if (outcomes.get(i).kind() == DeliveryOutcome.Kind.ABANDONED) {
                    return false;
                }
                record(open.get(i).event(), open.get(i).lane(), outcomes.get(i));
            }
            return true;
        }
    }
}
