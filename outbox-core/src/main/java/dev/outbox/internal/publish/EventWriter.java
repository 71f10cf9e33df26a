package dev.outbox.internal.publish;

import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import dev.outbox.internal.registry.HandlerRegistry;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.TreeSet;

/** Converts events to their stored form, and refuses what PostgreSQL would refuse, before any SQL runs. */
public final class EventWriter {

    /** Keeps the counter within {@code bigint}. */
    private static final long LARGEST_SEQUENCE = 1L << 62;

    private static final Instant FIRST_TIME = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant AFTER_LAST_TIME = Instant.parse("+10000-01-01T00:00:00Z");

    private final EventBody body;
    private final EventClock clock;
    private final Set<String> streams;
    private final StreamRouting routing;
    private final EventTypes types;

    /** Creates a writer that accepts events of the given streams. */
    public EventWriter(
            EventBody body,
            EventClock clock,
            PublisherSettings settings,
            Set<String> streams,
            HandlerRegistry registry) {
        this.body = body;
        this.routing = settings.routing();
        this.clock = clock;
        this.streams = Set.copyOf(streams);
        this.types = new EventTypes(registry, settings.unrouted());
    }

    NewEvent write(OutboxEvent event) {
        NewEvent.Aggregate aggregate = new NewEvent.Aggregate(
                StorableText.requireName("aggregate type", event.aggregateType()),
                StorableText.requireName("aggregate id", event.aggregateId()));
        NewEvent.Type type = types.of(event, aggregate);
        Long sequence = event.sequence();
        if (sequence != null && (sequence < 0 || sequence > LARGEST_SEQUENCE)) {
            throw new InvalidEventException("sequence of an event of " + aggregate + " must be from 0 to "
                    + LARGEST_SEQUENCE + ": " + sequence);
        }
        NewEvent written = new NewEvent(
                event.eventId() != null ? event.eventId() : clock.nextId(),
                stream(event, type, aggregate),
                aggregate,
                type,
                body.of(event, type, aggregate),
                occurredAt(event, aggregate),
                new NewEvent.Chosen(event.eventId() != null, sequence));
        types.requireSubscribers(written);
        return written;
    }

    private Instant occurredAt(OutboxEvent event, NewEvent.Aggregate aggregate) {
        Instant chosen = event.occurredAt();
        if (chosen != null && (chosen.isBefore(FIRST_TIME) || !chosen.isBefore(AFTER_LAST_TIME))) {
            throw new InvalidEventException(
                    "time of an event of " + aggregate + " must be in the years 1 to 9999: " + chosen);
        }
        return chosen == null ? clock.now() : chosen.truncatedTo(ChronoUnit.MICROS);
    }

    private String stream(OutboxEvent event, NewEvent.Type type, NewEvent.Aggregate aggregate) {
        String chosen = event.stream();
        String stream = chosen != null ? chosen : routing.streamOf(type.name(), aggregate.type());
        if (!streams.contains(stream)) {
            throw new InvalidEventException("stream '" + StorableText.quotable(stream) + "' of an event of " + aggregate
                    + " is not configured, so no instance would deliver it; known are " + new TreeSet<>(streams)
                    + ", and outbox.streams adds others");
        }
        return stream;
    }

    /** Forgets the classes that were published: for the test kit, whose tests may have classes of the same name. */
    public void forget() {
        types.forget();
    }
}
