package dev.outbox.internal.publish;

/** How events are published. */
public record PublisherSettings(int maxPayloadSize, Unrouted unrouted, StreamRouting routing) {

    /** What happens to an event that no handler wants. */
    public enum Unrouted {
        /** It is stored and published to nobody; a warning per type says so. */
        WARN,
        /** Publishing it is refused. */
        FAIL
    }

    /** Checks the values. */
    public PublisherSettings {
        if (maxPayloadSize < 2) {
            throw new IllegalArgumentException("maxPayloadSize must be at least 2 bytes: " + maxPayloadSize);
        }
    }

    /** Creates settings that send every event which names no stream to the default one. */
    public PublisherSettings(int maxPayloadSize, Unrouted unrouted) {
        this(maxPayloadSize, unrouted, StreamRouting.NONE);
    }

    /** Returns the default: up to 1 MiB, a warning for an event that no handler wants, and one stream for everything. */
    public static PublisherSettings defaults() {
        return new PublisherSettings(1 << 20, Unrouted.WARN);
    }
}
