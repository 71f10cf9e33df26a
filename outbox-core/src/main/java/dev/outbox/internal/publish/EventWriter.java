package dev.outbox.internal.publish;

import dev.outbox.EventHeadersContributor;
import dev.outbox.EventType;
import dev.outbox.EventTypeName;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import dev.outbox.internal.payload.DeclaredType;
import dev.outbox.internal.publish.PublisherSettings.StreamRouting;
import dev.outbox.internal.publish.PublisherSettings.Unrouted;
import dev.outbox.internal.registry.HandlerRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import tools.jackson.core.TreeNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Converts events to their stored form. Refuses what PostgreSQL would refuse, a second class of an event type and, if configured, types
 * without subscribers, before any SQL runs. Safe for use by many threads.
 */
final class EventWriter {

    /** Keeps the counter within {@code bigint}. */
    private static final long LARGEST_SEQUENCE = 1L << 62;

    private static final Duration LONGEST_DELAY = Duration.ofDays(36_500);
    private static final Instant FIRST_TIME = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant AFTER_LAST_TIME = Instant.parse("+10000-01-01T00:00:00Z");

    private final EventBody body;
    private final Clock clock;
    private final AtomicLong ids;
    private final Set<String> streams;
    private final StreamRouting routing;
    private final HandlerRegistry registry;
    private final Unrouted unrouted;
    private final EventDepth depth;

    /** Creates a writer that accepts events of the given streams. Its event ids begin at a random number. */
    EventWriter(
            PublisherSettings settings,
            Set<String> streams,
            HandlerRegistry registry,
            JsonMapper mapper,
            Supplier<Stream<EventHeadersContributor>> contributors,
            Clock clock,
            LongSupplier nanos,
            RandomGenerator random) {
        this.body = new EventBody(mapper, settings.maxPayloadSize(), contributors);
        this.routing = settings.routing();
        this.clock = clock;
        this.ids = new AtomicLong(random.nextLong());
        this.streams = Set.copyOf(streams);
        this.registry = registry;
        this.unrouted = settings.unrouted();
        this.depth = new EventDepth(nanos);
    }

    NewEvent write(OutboxEvent event) {
        Aggregate aggregate = new Aggregate(
                StorableText.requireName("aggregate type", event.aggregateType()),
                StorableText.requireName("aggregate id", event.aggregateId()));
        NewEvent.Type type = type(event, aggregate);
        Long sequence = event.sequence();
        if (sequence != null && (sequence < 0 || sequence > LARGEST_SEQUENCE)) {
            throw new InvalidEventException("sequence of an event of " + aggregate + " must be from 0 to "
                    + LARGEST_SEQUENCE + ": " + sequence);
        }
        checkSchedule(event, aggregate);
        NewEvent written = new NewEvent(
                event.eventId() != null ? event.eventId() : nextId(),
                stream(event, aggregate),
                aggregate,
                type,
                body.of(event, type, aggregate),
                occurredAt(event, aggregate),
                event);
        requireSubscribers(written);
        depth.report(written);
        return written;
    }

    private static void checkSchedule(OutboxEvent event, Aggregate aggregate) {
        Duration after = event.deliverAfter();
        Instant at = event.deliverAt();
        String key = event.key();
        if (after == null && at == null) {
            if (key != null || event.keepsExisting()) {
                throw new InvalidEventException("an event of " + aggregate + " has "
                        + (key == null ? "keepExisting" : "the key '" + StorableText.quotable(key) + "'")
                        + ", which only scheduled events have; call deliverAfter or deliverAt");
            }
            return;
        }
        if (event.sequence() != null || event.eventId() != null) {
            throw new InvalidEventException("a scheduled event of " + aggregate + " must not have "
                    + (event.sequence() == null
                            ? "an event id: use withKey and keepExisting to schedule it once"
                            : NewEvent.isUnordered(aggregate)
                                    ? "a sequence, as unordered events have: give it an aggregate"
                                    : "a sequence: it is numbered when it is due; if other events of this aggregate type have"
                                            + " one, schedule it in an aggregate type of its own, such as "
                                            + AggregateTypes.ofReminders(aggregate)));
        }
        if (event.keepsExisting() && key == null) {
            throw new InvalidEventException("keepExisting of an event of " + aggregate + " needs a key; call withKey");
        }
        if (after != null && (after.isNegative() || after.compareTo(LONGEST_DELAY) > 0)) {
            throw new InvalidEventException(
                    "deliverAfter of an event of " + aggregate + " must be from 0 to 36500 days: " + after);
        }
        if (at != null && isOutOfRange(at)) {
            throw new InvalidEventException(
                    "deliverAt of an event of " + aggregate + " must be in the years 1 to 9999: " + at);
        }
        if (key != null) {
            StorableText.requireName("key", key);
        }
    }

    private static boolean isOutOfRange(Instant time) {
        return time.isBefore(FIRST_TIME) || !time.isBefore(AFTER_LAST_TIME);
    }

    private NewEvent.Type type(OutboxEvent event, Aggregate aggregate) {
        Object payload = event.payload();
        if (payload == null) {
            throw new InvalidEventException("payload of an event of " + aggregate + " must not be null");
        }
        DeclaredType declared = DeclaredType.of(payload.getClass());
        String chosen = event.eventType();
        String type = chosen != null ? chosen : nameOf(payload, declared, aggregate);
        if (!EventTypeName.isValid(type)) {
            String entity = EntityRefusal.of(payload.getClass());
            if (entity != null) {
                throw new InvalidEventException("the payload of an event of " + aggregate + " is refused: " + entity);
            }
            throw new InvalidEventException("an event type must " + EventTypeName.RULE + ": '"
                    + StorableText.quotable(type) + "' of " + aggregate);
        }
        Integer given = event.schemaVersion();
        int version = given != null ? given : declared.version();
        if (version < 1) {
            throw new InvalidEventException("version of event type " + type + " must be at least 1: " + version);
        }
        if (chosen == null && !declared.copy()) {
            refuseSecondClass(type, payload.getClass());
        }
        return new NewEvent.Type(type, version);
    }

    /** Refuses own events only: what another service has published is stored, and a later handler gets it by replay. */
    private void requireSubscribers(NewEvent event) {
        if (unrouted == Unrouted.FAIL && event.origin() == null && !registry.hasSubscribers(event.values())) {
            throw new InvalidEventException(
                    "no handler is registered for " + event.type().name() + " of " + event.aggregate()
                            + "; add an @OutboxHandler, or set outbox.publisher.unrouted to warn");
        }
    }

    private static String nameOf(Object payload, DeclaredType declared, Aggregate aggregate) {
        boolean nameless = payload instanceof TreeNode
                || payload instanceof Map
                || payload instanceof Collection
                || payload.getClass().getName().startsWith("java.");
        if (nameless && !payload.getClass().isAnnotationPresent(EventType.class)) {
            throw new InvalidEventException("a payload of " + payload.getClass().getName()
                    + " does not name the event of " + aggregate + "; use OutboxEvent.withEventType");
        }
        return declared.name();
    }

    private void refuseSecondClass(String type, Class<?> payloadClass) {
        Class<?> handled = registry.payloadClassOf(type);
        if (handled != null && handled != payloadClass) {
            throw new InvalidEventException(payloadClass.getName() + " stands for event type " + type
                    + ", but handlers of this application take " + handled.getName()
                    + ", so they would get the other's events; name another type with @EventType, or mark the class that"
                    + " repeats the other's contract @EventType(copy = true)");
        }
    }

    /**
     * Returns a UUID version 7 (RFC 9562, section 5.7). 48 bits of milliseconds and 12 bits of their fraction put new index entries at
     * the end. The other 62 count from a random number: random bits for each id would make concurrent publishers take turns.
     */
    private UUID nextId() {
        long version = 0x7000L;
        long variant = 0x8000_0000_0000_0000L;
        Instant now = clock.instant();
        long micros = now.get(ChronoField.MICRO_OF_SECOND) % 1000;
        long fraction = (micros << 12) / 1000;
        long high = (now.toEpochMilli() << 16) | version | fraction;
        long low = variant | (ids.getAndIncrement() & 0x3FFF_FFFF_FFFF_FFFFL);
        return new UUID(high, low);
    }

    private Instant occurredAt(OutboxEvent event, Aggregate aggregate) {
        Instant chosen = event.occurredAt();
        if (chosen != null && isOutOfRange(chosen)) {
            throw new InvalidEventException(
                    "time of an event of " + aggregate + " must be in the years 1 to 9999: " + chosen);
        }
        return (chosen == null ? clock.instant() : chosen).truncatedTo(ChronoUnit.MICROS);
    }

    private String stream(OutboxEvent event, Aggregate aggregate) {
        String chosen = event.stream();
        String stream = chosen != null ? chosen : routing.streamOf(aggregate.type());
        if (!streams.contains(stream)) {
            throw new InvalidEventException("stream '" + StorableText.quotable(stream) + "' of an event of " + aggregate
                    + " is not configured, so no instance would deliver it; known are " + new TreeSet<>(streams)
                    + ", and outbox.streams adds others");
        }
        return stream;
    }
}
