package dev.outbox.publish;

/**
 * How events are published.
 *
 * @param maxPayloadSize the largest payload, in bytes of UTF-8 encoded JSON
 * @param unrouted what happens to an event that no handler wants
 */
public record PublisherSettings(int maxPayloadSize, Unrouted unrouted) {

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

    /**
     * Returns the default: up to 1 MiB, and a warning for an event that no handler wants.
     *
     * @return the default settings
     */
    public static PublisherSettings defaults() {
        return new PublisherSettings(1 << 20, Unrouted.WARN);
    }
}
