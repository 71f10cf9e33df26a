package dev.outbox.modulith.internal;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.OutboxEvent;
import dev.outbox.forwarding.internal.EventMapping;
import dev.outbox.internal.payload.PayloadReader;
import dev.outbox.internal.payload.UndecodableException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageHeaders;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.util.ClassUtils;
import tools.jackson.databind.json.JsonMapper;

/** Maps externalized events when they are sent, and adds their headers. What fails here fails with each attempt, so it is a dead letter. */
public record ExternalizedMapping(
        EventExternalizationConfiguration configuration,
        ExternalizedEvents events,
        JsonMapper mapper,
        Supplier<PayloadReader> reader)
        implements EventMapping {

    /** Name of the header with the class of a stored event. */
    public static final String CLASS = "modulith-class";

    /** A mapping may return a message, if the application has such a class. */
    private static final boolean MESSAGES = ClassUtils.isPresent("org.springframework.messaging.Message", null);

    /** Leaves alone what is not externalized, and what another service published. */
    @Override
    public EventEnvelope toSend(EventEnvelope stored) {
        String name = stored.headers().get(CLASS);
        if (name == null || stored.headers().containsKey(EventEnvelope.ORIGIN)) {
            return stored;
        }
        Object event = read(stored, name);
        try {
            return map(stored, event);
        } catch (NonRetryableException ex) {
            throw ex;
        } catch (RuntimeException ex) {
            throw new NonRetryableException(
                    "the EventExternalizationConfiguration failed to map " + name + ": "
                            + ex.getClass().getName() + "; correct it, then retry the dead letter",
                    ex);
        }
    }

    private Object read(EventEnvelope stored, String name) {
        try {
            Class<?> type = ClassUtils.forName(name, null);
            return reader.get()
                    .of(stored)
                    .decode(HandlerDefinition.of("mapping", Set.of(stored.eventType()), type, (event, same) -> {}));
        } catch (ClassNotFoundException | LinkageError ex) {
            throw new NonRetryableException(
                    "this application has no class " + name
                            + " to map the event with; deploy a version that has it, then" + " retry the dead letter",
                    ex);
        } catch (UndecodableException ex) {
            throw new NonRetryableException(
                    "the event cannot be read as " + name + " to map it: " + ex.getMessage(), ex);
        }
    }

    private EventEnvelope map(EventEnvelope stored, Object event) {
        Object mapped = configuration.map(event);
        Map<String, Object> added;
        if (MESSAGES && mapped instanceof Message<?> message) {
            added = new HashMap<>(message.getHeaders());
            added.keySet().removeAll(Set.of(MessageHeaders.ID, MessageHeaders.TIMESTAMP));
            mapped = message.getPayload();
        } else {
            added = configuration.getHeadersFor(mapped);
        }
        if (added.containsKey(EventEnvelope.ORIGIN)) {
            throw new NonRetryableException("the header '" + EventEnvelope.ORIGIN + "' of the mapped "
                    + event.getClass().getName() + " is reserved; rename it, then retry the dead letter");
        }
        Map<String, String> headers = new HashMap<>(stored.headers());
        headers.remove(CLASS);
        added.forEach((name, value) -> {
            if (value != null) {
                headers.put(name, value instanceof byte[] text ? new String(text, UTF_8) : value.toString());
            }
        });
        boolean unordered = stored.aggregateType().equals(OutboxEvent.UNORDERED);
        return new EventEnvelope(
                stored.id(),
                stored.eventId(),
                stored.stream(),
                unordered ? events.targetOf(event) : stored.aggregateType(),
                stored.aggregateId(),
                stored.sequence(),
                stored.eventType(),
                stored.schemaVersion(),
                mapped == event ? stored.payload() : mapper.writeValueAsString(mapped),
                headers,
                stored.occurredAt(),
                stored.replayed());
    }
}
