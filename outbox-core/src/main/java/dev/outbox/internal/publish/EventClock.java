package dev.outbox.internal.publish;

import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.random.RandomGenerator;

/** Times and ids of new events. */
public final class EventClock {

    private final Clock clock;
    private final RandomGenerator random;

    /** Creates a clock with a source of random bits. */
    public EventClock(Clock clock, RandomGenerator random) {
        this.clock = clock;
        this.random = random;
    }

    /** Returns the time as PostgreSQL stores it, in microseconds. */
    Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MICROS);
    }

    /**
     * Returns a UUID version 7 (RFC 9562, sections 5.7 and 6.2, method 3): 48 bits of milliseconds and 12 bits of their fraction, which
     * put new index entries at the end, and 62 random bits.
     */
    UUID nextId() {
        long version = 0x7000L;
        long variant = 0x8000_0000_0000_0000L;
        Instant now = clock.instant();
        long micros = now.get(ChronoField.MICRO_OF_SECOND) % 1000;
        long fraction = (micros << 12) / 1000;
        long high = (now.toEpochMilli() << 16) | version | fraction;
        long low = variant | (random.nextLong() >>> 2);
        return new UUID(high, low);
    }
}
