package dev.outbox.internal.publish;

import org.jspecify.annotations.Nullable;

/** What a publisher knows of the handlers of its events. */
@FunctionalInterface
public interface Audience {

    /** Says whether any handler in any process subscribes to an event type. */
    boolean hasSubscribers(String eventType);

    /**
     * Returns the payload class that stands for an event type among the handlers of this process. Does not look for handlers that are
     * not known yet.
     */
    default @Nullable Class<?> payloadClassOf(String eventType) {
        return null;
    }
}
