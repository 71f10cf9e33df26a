package dev.outbox.chaos.process;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/** Clock of one process, which jumps away from that of the machine. */
final class SkewedClock extends Clock {

    private volatile Duration skew = Duration.ZERO;

    void skewBySeconds(long seconds) {
        skew = Duration.ofSeconds(seconds);
    }

    @Override
    public Instant instant() {
        return Clock.systemUTC().instant().plus(skew);
    }

    @Override
    public ZoneId getZone() {
        return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
        throw new UnsupportedOperationException("The clock of a process has one zone");
    }
}
