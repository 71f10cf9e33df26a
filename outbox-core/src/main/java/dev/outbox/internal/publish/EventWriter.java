package dev.outbox.internal.publish;

import dev.outbox.EventEnvelope;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import dev.outbox.internal.delivery.NewEvent;
import dev.outbox.internal.dispatch.HandlerRegistry;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.ser.bean.BeanSerializerBase;
import tools.jackson.databind.ser.impl.UnknownSerializer;

/** Converts events to their stored form, and refuses what PostgreSQL would refuse, before any SQL runs. */
public final class EventWriter {

    /** Keeps the counter, and the floor under all new counters, within {@code bigint}. */
    private static final long LARGEST_SEQUENCE = 1L << 62;

    private static final Instant FIRST_TIME = Instant.parse("0001-01-01T00:00:00Z");
    private static final JsonText.Limits HEADER_LIMITS = JsonText.Limits.of(StreamReadConstraints.defaults());
    private static final Instant AFTER_LAST_TIME = Instant.parse("+10000-01-01T00:00:00Z");

    private final JsonMapper mapper;
    private final int maxPayloadSize;
    private final EventClock clock;
    private final Set<String> streams;
    private final StreamRouting routing;
    private final EventTypes types;
    private final JsonText.Limits limits;

    /** Creates a writer that accepts events of the given streams. */
    public EventWriter(
            JsonMapper mapper,
            EventClock clock,
            PublisherSettings settings,
            Set<String> streams,
            HandlerRegistry registry) {
        this.mapper = mapper;
        this.maxPayloadSize = settings.maxPayloadSize();
        this.routing = settings.routing();
        this.clock = clock;
        this.streams = Set.copyOf(streams);
        this.types = new EventTypes(registry, settings.unrouted());
        this.limits = JsonText.Limits.of(mapper.tokenStreamFactory().streamReadConstraints());
    }

    NewEvent write(OutboxEvent event) {
        NewEvent.Aggregate aggregate = new NewEvent.Aggregate(
                name("aggregate type", event.aggregateType()), name("aggregate id", event.aggregateId()));
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
                body(event, type, aggregate),
                occurredAt(event, aggregate),
                new NewEvent.Chosen(event.eventId() != null, sequence));
        types.requireSubscribers(type, aggregate);
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

    private static String name(String what, @Nullable String value) {
        if (value == null || value.isBlank()) {
            throw new InvalidEventException(what + " must not be missing or blank");
        }
        if (value.length() > StorableText.LONGEST_NAME) {
            throw new InvalidEventException(what + " must have at most " + StorableText.LONGEST_NAME
                    + " characters, but has " + value.length() + ": " + StorableText.quotable(value));
        }
        String refused = StorableText.refusedCharacter(value);
        if (refused != null) {
            throw new InvalidEventException(what + " contains " + refused + ", which PostgreSQL cannot store");
        }
        return value;
    }

    private String payload(Object payload, NewEvent.Type type, NewEvent.Aggregate aggregate) {
        String event = type.name() + " of " + aggregate;
        String json;
        try {
            json = mapper.writeValueAsString(payload);
        } catch (JacksonException ex) {
            throw new InvalidEventException(
                    "payload " + payload.getClass().getName() + " of " + event + " cannot be written as JSON: "
                            + (ex.getCause() == null
                                    ? ex.getOriginalMessage()
                                    : ex.getCause().getClass().getName()),
                    ex);
        } catch (StackOverflowError ex) {
            throw new InvalidEventException(
                    "payload " + payload.getClass().getName() + " of " + event + " refers to itself", ex);
        }
        if (json.equals("{}") && hasNothingToRead(payload.getClass())) {
            throw new InvalidEventException("payload " + payload.getClass().getName() + " of " + event
                    + " has no property that Jackson can read, so the event would be stored as {}; make it a record, or"
                    + " give it getters");
        }
        check("payload of " + event, json, limits);
        return json;
    }

    private void check(String what, String json, JsonText.Limits readable) {
        String refused = JsonText.refusedPart(json, readable);
        if (refused != null) {
            throw new InvalidEventException(
                    what + " contains " + refused + ", which cannot be stored as jsonb and read again");
        }
        int size = utf8Length(json);
        if (size > maxPayloadSize) {
            throw new InvalidEventException(what + " has " + size + " bytes, more than the " + maxPayloadSize
                    + " that outbox.publisher.max-payload-size allows;"
                    + " store large content elsewhere and publish a reference to it");
        }
    }

    /** An empty record is an event without data; a class with neither getters nor public fields is a mistake. */
    private boolean hasNothingToRead(Class<?> type) {
        boolean empty = type.isRecord() && type.getRecordComponents().length == 0;
        ValueSerializer<?> serializer = mapper._serializationContext().findValueSerializer(type);
        boolean bean = serializer instanceof BeanSerializerBase || serializer instanceof UnknownSerializer;
        return bean && !empty && !serializer.properties().hasNext();
    }

    private NewEvent.Body body(OutboxEvent event, NewEvent.Type type, NewEvent.Aggregate aggregate) {
        String payload = payload(event.payload(), type, aggregate);
        String traceId = MDC.get(EventEnvelope.TRACE_ID);
        Map<String, String> headers = new TreeMap<>();
        event.headers().forEach((name, value) -> {
            if (name == null || value == null) {
                throw new InvalidEventException("headers of an event of " + aggregate + " must not hold null");
            }
            headers.put(name, value);
        });
        if (headers.containsKey(EventEnvelope.ORIGIN)) {
            throw new InvalidEventException("header '" + EventEnvelope.ORIGIN + "' of an event of " + aggregate
                    + " is reserved for events of other services; call OutboxEvent.withOrigin, or use another name");
        }
        if (event.origin() != null) {
            headers.put(EventEnvelope.ORIGIN, name("origin", event.origin()));
        }
        if (traceId != null) {
            headers.putIfAbsent(EventEnvelope.TRACE_ID, traceId);
        }
        return new NewEvent.Body(payload, headers, headers.isEmpty() ? "{}" : json(headers, aggregate));
    }

    private String json(Map<String, String> headers, NewEvent.Aggregate aggregate) {
        String json = mapper.writeValueAsString(headers);
        check("headers of an event of " + aggregate, json, HEADER_LIMITS);
        return json;
    }

    private static int utf8Length(String text) {
        int length = text.length();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= 0x80) {
                // Each half of a surrogate pair is one of two chars that become four bytes.
                length += c >= 0x800 && !Character.isSurrogate(c) ? 2 : 1;
            }
        }
        return length;
    }
}
