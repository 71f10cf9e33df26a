package dev.outbox.internal.publish;

import java.time.Clock;
import java.time.Instant;
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

    /** Returns a UUID version 7 (RFC 9562, section 5.7): its 48 bits of milliseconds put new index entries at the end. */
    UUID nextId() {
        long version = 0x7000L;
        long variant = 0x8000_0000_0000_0000L;
        long high = (clock.millis() << 16) | version | (random.nextLong() & 0x0FFFL);
        long low = variant | (random.nextLong() >>> 2);
        return new UUID(high, low);
    }
}
