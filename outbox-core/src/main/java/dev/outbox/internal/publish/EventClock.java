package dev.outbox.internal.publish;

import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoField;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/** Times and ids of new events. */
public final class EventClock {

    private final Clock clock;
    private final AtomicLong count;

    /** Creates a clock whose ids begin at a random number. */
    public EventClock(Clock clock, RandomGenerator random) {
        this.clock = clock;
        this.count = new AtomicLong(random.nextLong());
    }

    /** Returns the time as PostgreSQL stores it, in microseconds. */
    Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MICROS);
    }

    /**
     * Returns a UUID version 7 (RFC 9562, section 5.7). 48 bits of milliseconds and 12 bits of their fraction put new index entries at
     * the end. The other 62 count from a random number: random bits for each id would make concurrent publishers take turns.
     */
    UUID nextId() {
        long version = 0x7000L;
        long variant = 0x8000_0000_0000_0000L;
        Instant now = clock.instant();
        long micros = now.get(ChronoField.MICRO_OF_SECOND) % 1000;
        long fraction = (micros << 12) / 1000;
        long high = (now.toEpochMilli() << 16) | version | fraction;
        long low = variant | (count.getAndIncrement() & 0x3FFF_FFFF_FFFF_FFFFL);
        return new UUID(high, low);
    }
}
