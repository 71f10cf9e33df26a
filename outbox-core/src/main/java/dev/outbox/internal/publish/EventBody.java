package dev.outbox.internal.publish;

import dev.outbox.EventEnvelope;
import dev.outbox.EventHeadersContributor;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import dev.outbox.internal.failure.Redaction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.MDC;
import org.springframework.util.function.SingletonSupplier;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.databind.json.JsonMapper;

/** Collects the headers of events, writes them and the payload as JSON, and refuses what PostgreSQL cannot store. */
final class EventBody {

    /** Headers are texts in one fixed shape, whatever the mapper of the payloads does. */
    private static final JsonMapper HEADERS = JsonMapper.builder().build();

    private static final int LONGEST_PATH = 300;

    private static final JsonText.Limits HEADER_LIMITS =
            JsonText.Limits.of(StreamReadConstraints.defaults(), Integer.MAX_VALUE);

    private final JsonMapper mapper;
    private final int maxPayloadSize;
    private final JsonText.Limits limits;
    private final SingletonSupplier<List<EventHeadersContributor>> contributors;

    /** Asks for the contributors with the first event, since a contributor may itself depend on the publisher. */
    EventBody(JsonMapper mapper, int maxPayloadSize, Supplier<Stream<EventHeadersContributor>> contributors) {
        this.mapper = PayloadRefusal.in(mapper);
        this.maxPayloadSize = maxPayloadSize;
        this.limits = JsonText.Limits.of(mapper.tokenStreamFactory().streamReadConstraints(), maxPayloadSize);
        this.contributors = SingletonSupplier.of(() -> contributors.get().toList());
    }

    NewEvent.Body of(OutboxEvent event, NewEvent.Type type, Aggregate aggregate) {
        String payload = payload(event.payload(), type, aggregate);
        Map<String, String> all = headers(event, aggregate);
        return new NewEvent.Body(payload, all, all.isEmpty() ? "{}" : json(all, aggregate));
    }

    private String payload(Object payload, NewEvent.Type type, Aggregate aggregate) {
        String event = type.name() + " of " + aggregate;
        String refused = "payload " + payload.getClass().getName() + " of " + event;
        String json;
        try {
            json = mapper.writeValueAsString(payload);
        } catch (JacksonException ex) {
            throw new InvalidEventException(refused + problem(ex), ex);
        } catch (StackOverflowError ex) {
            throw new InvalidEventException(refused + " refers to itself", ex);
        }
        check("payload of " + event, json, limits);
        return json;
    }

    /** Names the classes of a cycle, since Jackson reports its own limit of nesting; else the place in the payload. */
    private static String problem(JacksonException ex) {
        Set<Object> path = Collections.newSetFromMap(new IdentityHashMap<>());
        List<String> classes = new ArrayList<>();
        for (JacksonException.Reference reference : ex.getPath()) {
            Object holder = reference.from();
            if (holder != null && !holder.getClass().getName().startsWith("java.")) {
                String name = holder.getClass().getName();
                classes.add(name);
                if (!path.add(holder)) {
                    return " refers to itself, through "
                            + String.join(
                                    " and ",
                                    new LinkedHashSet<>(classes.subList(classes.indexOf(name), classes.size())))
                            + "; publish an id instead, or put @JsonIgnore on the property that leads back";
                }
            }
        }
        return " cannot be written as JSON: "
                + (ex.getCause() == null
                        ? ex.getOriginalMessage()
                        : ex.getCause().getClass().getName())
                + place(ex);
    }

    private static String place(JacksonException ex) {
        if (ex.getPath().isEmpty()) {
            return "";
        }
        String path = Redaction.path(ex);
        return " (at " + (path.length() <= LONGEST_PATH ? path : "…" + path.substring(path.length() - LONGEST_PATH))
                + ")";
    }

    private void check(String what, String json, JsonText.Limits readable) {
        String refused = JsonText.refusedPart(json, readable);
        if (refused != null) {
            throw new InvalidEventException(
                    what + " contains " + refused + ", which cannot be stored as jsonb and read again");
        }
        int size = json.getBytes(StandardCharsets.UTF_8).length;
        if (size > maxPayloadSize && size - spaces(json) > maxPayloadSize) {
            throw new InvalidEventException(what + " has " + size + " bytes, more than the " + maxPayloadSize
                    + " that outbox.publisher.max-payload-size allows;"
                    + " store large content elsewhere and publish a reference to it");
        }
    }

    /** Counts what {@code jsonb} adds between tokens: a receiving outbox accepts what the sending one with the same limit did. */
    private static int spaces(String text) {
        int spaces = 0;
        boolean quoted = false;
        int next = 0;
        while (next < text.length()) {
            char c = text.charAt(next);
            next += c == '\\' ? 2 : 1;
            if (c == '"') {
                quoted = !quoted;
            } else if (!quoted && c <= ' ') {
                spaces++;
            }
        }
        return spaces;
    }

    /** Collects the headers of the contributors, those of the event, and the trace id of the log context. */
    private Map<String, String> headers(OutboxEvent event, Aggregate aggregate) {
        Map<String, String> headers = new TreeMap<>();
        if (event.origin() == null) {
            for (EventHeadersContributor contributor : contributors.obtain()) {
                contribute(contributor, event, headers, aggregate);
            }
        }
        event.headers().forEach((name, value) -> {
            if (name == null || value == null) {
                throw new InvalidEventException("headers of an event of " + aggregate + " must not hold null");
            }
            headers.put(name, value);
        });
        if (event.origin() == null) {
            EventDepth.write(event, headers);
        }
        if (headers.containsKey(EventEnvelope.ORIGIN)) {
            throw new InvalidEventException("header '" + EventEnvelope.ORIGIN + "' of an event of " + aggregate
                    + " is reserved for events of other services; call OutboxEvent.withOrigin, or use another name");
        }
        if (event.origin() != null) {
            headers.put(EventEnvelope.ORIGIN, StorableText.requireName("origin", event.origin()));
        }
        String traceId = MDC.get(EventEnvelope.TRACE_ID);
        if (traceId != null) {
            headers.putIfAbsent(EventEnvelope.TRACE_ID, traceId);
        }
        return headers;
    }

    private static void contribute(
            EventHeadersContributor contributor, OutboxEvent event, Map<String, String> headers, Aggregate aggregate) {
        String refused;
        try {
            contributor.contribute(event, headers);
            refused = headers.containsValue(null) ? "a header without a value" : null;
        } catch (RuntimeException ex) {
            throw new InvalidEventException(
                    "the headers contributor " + contributor.getClass().getName() + " failed for an event of "
                            + aggregate + ", so the event is not published: "
                            + ex.getClass().getName(),
                    ex);
        }
        if (refused != null || headers.containsKey(EventEnvelope.ORIGIN)) {
            throw new InvalidEventException("the headers contributor "
                    + contributor.getClass().getName() + " added "
                    + (refused != null ? refused : "the reserved header '" + EventEnvelope.ORIGIN + "'")
                    + " to an event of " + aggregate);
        }
    }

    private String json(Map<String, String> all, Aggregate aggregate) {
        String json = HEADERS.writeValueAsString(all);
        check("headers of an event of " + aggregate, json, HEADER_LIMITS);
        return json;
    }
}
