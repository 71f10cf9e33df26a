package dev.outbox.chaos.process;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Writers of three seconds each, of which the next one always begins before the last one commits. */
final class OverlappingWriters {

    private static final int WRITERS = 3;
    private static final Duration LENGTH = Duration.ofSeconds(3);

    private final Publisher publisher;
    private final Traffic traffic;

    OverlappingWriters(Publisher publisher, Traffic traffic) {
        this.publisher = publisher;
        this.traffic = traffic;
    }

    /** Lets them write for some time; the last transactions commit after it. */
    void write(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (int writer = 0; writer < WRITERS; writer++) {
            Duration delay = LENGTH.dividedBy(WRITERS).multipliedBy(writer);
            Commands.inBackground("writer", () -> {
                LockSupport.parkNanos(delay.toNanos());
                while (System.nanoTime() < end) {
                    publisher.publish(traffic.single(), () -> LockSupport.parkNanos(LENGTH.toNanos()));
                }
            });
        }
    }
}
