package dev.outbox.forwarding.internal;

import dev.outbox.EventEnvelope;

/** What the routes to all brokers send of an event. A bean of this type applies to each of them. */
@FunctionalInterface
public interface EventMapping {

    /** Returns the event to send. Its lane remains that of the stored event. An exception fails the attempt. */
    EventEnvelope toSend(EventEnvelope stored);
}
