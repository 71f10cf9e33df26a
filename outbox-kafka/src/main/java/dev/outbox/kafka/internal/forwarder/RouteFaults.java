package dev.outbox.kafka.internal.forwarder;

import dev.outbox.spring.internal.HealthDetails;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Faults of Kafka that stop routes of this instance: one ERROR when a fault begins, one INFO when it ends, and a health detail. */
public final class RouteFaults implements HealthDetails {

    private static final Logger log = LoggerFactory.getLogger(RouteFaults.class);

    /** Another instance may have ended a fault that was seen before, and forwarded the events that waited. */
    private static final Duration SHOWN_FOR = Duration.ofMinutes(5);

    private final LongSupplier nanos;
    private final Map<String, Fault> faults = new ConcurrentHashMap<>();

    /** Creates a record without faults that uses the given monotonic time. */
    public RouteFaults(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** Latest failure of a route. */
    record Fault(String message, long since) {}

    /** Returns the fault of a route, or {@code null} if there is none. */
    @Nullable
    Fault of(String route) {
        return faults.get(route);
    }

    /** Records a failure. */
    void failed(String route, SendFailure failure) {
        String message = String.valueOf(failure.cause().getMessage());
        if (faults.put(route, new Fault(message, nanos.getAsLong())) == null) {
            log.error("Route {} cannot send to Kafka, so its events wait: {}", route, message);
        }
    }

    /** Ends the fault that was known before a batch succeeded, unless the route has failed again meanwhile. */
    void succeeded(String route, @Nullable Fault before) {
        if (before != null && faults.remove(route, before)) {
            log.info("Route {} sends to Kafka again", route);
        }
    }

    /** Lists the routes that cannot send, and why. */
    @Override
    public Map<String, Object> get() {
        Map<String, Object> failing = new TreeMap<>();
        faults.forEach((route, fault) -> {
            if (nanos.getAsLong() - fault.since <= SHOWN_FOR.toNanos()) {
                failing.put(route, fault.message);
            }
        });
        return failing.isEmpty() ? Map.of() : Map.of("failingRoutes", failing);
    }
}
