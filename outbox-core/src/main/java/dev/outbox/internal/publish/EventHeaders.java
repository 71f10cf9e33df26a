package dev.outbox.internal.publish;

import dev.outbox.EventEnvelope;
import dev.outbox.EventHeadersContributor;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.MDC;
import org.springframework.util.function.SingletonSupplier;

/** Collects the headers of an event: those of the contributors, its own, and the trace id of the log context. */
public final class EventHeaders {

    private final SingletonSupplier<List<EventHeadersContributor>> contributors;

    /** Asks for the contributors with the first event, since a contributor may itself depend on the publisher. */
    public EventHeaders(Supplier<Stream<EventHeadersContributor>> contributors) {
        this.contributors = SingletonSupplier.of(() -> contributors.get().toList());
    }

    Map<String, String> of(OutboxEvent event, NewEvent.Aggregate aggregate) {
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
            EventHeadersContributor contributor,
            OutboxEvent event,
            Map<String, String> headers,
            NewEvent.Aggregate aggregate) {
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
}
