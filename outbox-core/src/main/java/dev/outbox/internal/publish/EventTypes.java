package dev.outbox.internal.publish;

import dev.outbox.EventType;
import dev.outbox.EventTypeName;
import dev.outbox.InvalidEventException;
import dev.outbox.OutboxEvent;
import dev.outbox.internal.payload.DeclaredType;
import dev.outbox.internal.publish.PublisherSettings.Unrouted;
import dev.outbox.internal.registry.HandlerRegistry;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import tools.jackson.core.TreeNode;

/** Determines event types; refuses a second class of a type, and types without subscribers if configured. Safe for use by many threads. */
final class EventTypes {

    private final HandlerRegistry registry;
    private final Unrouted unrouted;
    private final Map<String, Class<?>> published = new ConcurrentHashMap<>();

    EventTypes(HandlerRegistry registry, Unrouted unrouted) {
        this.registry = registry;
        this.unrouted = unrouted;
    }

    NewEvent.Type of(OutboxEvent event, NewEvent.Aggregate aggregate) {
        Object payload = event.payload();
        if (payload == null) {
            throw new InvalidEventException("payload of an event of " + aggregate + " must not be null");
        }
        DeclaredType declared = DeclaredType.of(payload.getClass());
        String chosen = event.eventType();
        String type = chosen != null ? chosen : nameOf(payload, declared, aggregate);
        if (!EventTypeName.isValid(type)) {
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
    void requireSubscribers(NewEvent event) {
        if (unrouted == Unrouted.FAIL
                && event.typeRule().origin() == null
                && !registry.hasSubscribers(event.values())) {
            throw new InvalidEventException(
                    "no handler is registered for " + event.type().name() + " of " + event.aggregate()
                            + "; add an @OutboxHandler, or set outbox.publisher.unrouted to warn");
        }
    }

    private static String nameOf(Object payload, DeclaredType declared, NewEvent.Aggregate aggregate) {
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

    /** Checks the handlers' class first, so that a refused class is not remembered as the published one. */
    private void refuseSecondClass(String type, Class<?> payloadClass) {
        Class<?> handled = registry.payloadClassOf(type);
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

    void forget() {
        published.clear();
    }
}
