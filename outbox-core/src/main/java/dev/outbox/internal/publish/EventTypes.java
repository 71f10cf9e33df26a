package dev.outbox.internal.publish;

import dev.outbox.EventType;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import dev.outbox.internal.delivery.NewEvent;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.TreeNode;

/** Event types of payloads. Refuses a second class that stands for a type. Safe for use by many threads. */
final class EventTypes {

    private static final Pattern PASCAL_CASE = EventWriter.PASCAL_CASE;

    private final Audience audience;
    private final Map<String, Class<?>> published = new ConcurrentHashMap<>();

    EventTypes(Audience audience) {
        this.audience = audience;
    }

    NewEvent.Type of(OutboxEvent event, NewEvent.Aggregate aggregate) {
        Object payload = event.payload();
        if (payload == null) {
            throw new InvalidEventException("payload of an event of " + aggregate + " must not be null");
        }
        EventType annotation = payload.getClass().getAnnotation(EventType.class);
        String chosen = event.eventType();
        String type = chosen != null ? chosen : nameOf(payload, annotation, aggregate);
        if (type.length() > EventWriter.LONGEST_NAME
                || !PASCAL_CASE.matcher(type).matches()) {
            throw new InvalidEventException("event type must be PascalCase, letters and digits, at most "
                    + EventWriter.LONGEST_NAME + " characters, such as PaymentSucceeded: '"
                    + StorableText.quotable(type) + "' of "
                    + aggregate);
        }
        int version = annotation == null ? 1 : annotation.version();
        if (version < 1) {
            throw new InvalidEventException("version of event type " + type + " must be at least 1: " + version);
        }
        if (chosen == null && (annotation == null || !annotation.copy())) {
            refuseSecondClass(type, payload.getClass());
        }
        return new NewEvent.Type(type, version);
    }

    private static String nameOf(Object payload, @Nullable EventType annotation, NewEvent.Aggregate aggregate) {
        if (annotation != null && !annotation.value().isEmpty()) {
            return annotation.value();
        }
        boolean nameless = payload instanceof TreeNode
                || payload instanceof Map
                || payload instanceof Collection
                || payload.getClass().getName().startsWith("java.");
        if (nameless) {
            throw new InvalidEventException("a payload of " + payload.getClass().getName()
                    + " does not name the event of " + aggregate + "; use OutboxEvent.withEventType");
        }
        return payload.getClass().getSimpleName();
    }

    /** Checks the handlers' class first: a class that is refused must not keep out the right one. */
    private void refuseSecondClass(String type, Class<?> payloadClass) {
        Class<?> handled = audience.payloadClassOf(type);
        if (handled != null && handled != payloadClass) {
            throw secondClass(type, payloadClass, "handlers of this application take " + handled.getName());
        }
        Class<?> first = published.putIfAbsent(type, payloadClass);
        if (first != null && first != payloadClass) {
            throw secondClass(type, payloadClass, "this application has published " + first.getName());
        }
    }

    private static InvalidEventException secondClass(String type, Class<?> payloadClass, String conflict) {
        return new InvalidEventException(payloadClass.getName() + " stands for event type " + type + ", but " + conflict
                + ", so each would get the other's events; name another type with @EventType, or mark the class that"
                + " repeats the other's contract @EventType(copy = true)");
    }
}
