package dev.outbox.internal.publish;

import java.time.Clock;
import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * Makes event ids: UUID version 7 of RFC 9562, section 5.7. 48 bits of Unix milliseconds and 74 random bits, so that the
 * entries of the index on them arrive at its end.
 */
final class EventIds {

    private final Clock clock;
    private final RandomGenerator random;

    EventIds(Clock clock, RandomGenerator random) {
        this.clock = clock;
        this.random = random;
    }

    UUID next() {
        long version = 0x7000L;
        long variant = 0x8000_0000_0000_0000L;
        long high = (clock.millis() << 16) | version | (random.nextLong() & 0x0FFFL);
        long low = variant | (random.nextLong() >>> 2);
        return new UUID(high, low);
    }
}
