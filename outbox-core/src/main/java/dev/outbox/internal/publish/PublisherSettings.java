package dev.outbox.internal.publish;

/** Settings for publishing. */
public record PublisherSettings(int maxPayloadSize, Unrouted unrouted, StreamRouting routing) {

    /** What happens to an event without subscribers. */
    public enum Unrouted {
        /** It is stored and counts as published; a warning per type names it. */
        WARN,
        /** Publishing it fails. */
        FAIL
    }

    public PublisherSettings {
        if (maxPayloadSize < 2) {
            throw new IllegalArgumentException("maxPayloadSize must be at least 2 bytes: " + maxPayloadSize);
        }
    }

    /** Creates settings without routing rules. */
    public PublisherSettings(int maxPayloadSize, Unrouted unrouted) {
        this(maxPayloadSize, unrouted, StreamRouting.NONE);
    }

    /** Returns the defaults: payloads up to 1 MiB, a warning for events without subscribers, and no routing rules. */
    public static PublisherSettings defaults() {
        return new PublisherSettings(1 << 20, Unrouted.WARN);
    }
}
