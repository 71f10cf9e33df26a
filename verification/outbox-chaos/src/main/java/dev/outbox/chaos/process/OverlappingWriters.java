package dev.outbox.chaos.process;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/** Writers of three seconds each, of which the next one always begins before the last one commits. */
final class OverlappingWriters {

    private static final int WRITERS = 3;
    private static final Duration LENGTH = Duration.ofSeconds(3);

    private final Function<String, Publisher> publishers;
    private int number;

    OverlappingWriters(Function<String, Publisher> publishers) {
        this.publishers = publishers;
    }

    /** Lets them write for some time; the last transactions commit after it. */
    void write(Duration time) {
        long end = System.nanoTime() + time.toNanos();
        for (int writer = 0; writer < WRITERS; writer++) {
            Publisher publisher = publishers.apply("writer-" + ++number);
            Duration delay = LENGTH.dividedBy(WRITERS).multipliedBy(writer);
            Commands.inBackground("writer", () -> {
                LockSupport.parkNanos(delay.toNanos());
                while (System.nanoTime() < end) {
                    publisher.publishSlowly(LENGTH);
                }
            });
        }
    }
}
