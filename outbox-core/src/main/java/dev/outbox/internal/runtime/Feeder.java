package dev.outbox.internal.runtime;

import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/** Adds deliveries to the lanes in the background, as replays do. */
@FunctionalInterface
public interface Feeder {

    /** Feeds once, and returns the time until the next call. */
    Duration runOnce() throws SQLException;

    /** Creates a feeder that wakes the streams to which it adds deliveries. A strict one throws what fails, instead of trying it again. */
    @FunctionalInterface
    interface Factory {

        /** Feeds nothing. */
        Factory NONE = (wake, nanos, strict) -> () -> Duration.ofHours(1);

        Feeder create(Consumer<String> wake, LongSupplier nanos, boolean strict);
    }
}
