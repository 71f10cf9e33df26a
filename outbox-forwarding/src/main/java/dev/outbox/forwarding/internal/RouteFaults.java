package dev.outbox.forwarding.internal;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Faults of a broker that stop routes of this instance, or parts of them: one ERROR when a route begins to fail, one INFO when all its faults have ended, and a list for the health. */
public final class RouteFaults {

    private static final Logger log = LoggerFactory.getLogger(RouteFaults.class);

    /** Another instance may have ended a fault that was seen before, and forwarded the events that waited. */
    private static final Duration SHOWN_FOR = Duration.ofMinutes(5);

    private final String broker;
    private final LongSupplier nanos;

    /** By route and the name of the unit. */
    private final Map<String, Map<String, Latest>> routes = new ConcurrentHashMap<>();

    /** Creates a record without faults that uses the given monotonic time. */
    public RouteFaults(String broker, LongSupplier nanos) {
        this.broker = broker;
        this.nanos = nanos;
    }

    /** Latest failure of a unit. */
    private record Latest(String message, long at) {}

    /** Records a failure. */
    synchronized void failed(String route, String unit, String message) {
        Map<String, Latest> faults = routes.computeIfAbsent(route, (name) -> new TreeMap<>());
        removeOld(faults);
        boolean first = faults.isEmpty();
        faults.put(unit, new Latest(message, nanos.getAsLong()));
        if (first) {
            log.error("Route {} cannot send to {}, so its events wait: {}: {}", route, broker, unit, message);
        }
    }

    /** Ends the faults of units that have answered, unless they are suspect again. */
    void succeeded(String route, List<Unit> units) {
        if (routes.containsKey(route)) {
            ended(route, units);
        }
    }

    private synchronized void ended(String route, List<Unit> units) {
        Map<String, Latest> faults = routes.get(route);
        if (faults == null) {
            return;
        }
        units.stream()
                .filter((unit) -> !unit.isSuspect(nanos.getAsLong()))
                .map(Unit::name)
                .forEach(faults::remove);
        removeOld(faults);
        if (faults.isEmpty()) {
            routes.remove(route);
            log.info("Route {} sends to {} again", route, broker);
        }
    }

    private void removeOld(Map<String, Latest> faults) {
        faults.values().removeIf((latest) -> nanos.getAsLong() - latest.at() > SHOWN_FOR.toNanos());
    }

    /** Lists the routes that cannot send, to what, and why. */
    public synchronized Map<String, String> failing() {
        Map<String, String> failing = new TreeMap<>();
        routes.forEach((route, faults) -> {
            String text = faults.entrySet().stream()
                    .filter((fault) -> nanos.getAsLong() - fault.getValue().at() <= SHOWN_FOR.toNanos())
                    .map((fault) -> fault.getKey() + ": " + fault.getValue().message())
                    .collect(Collectors.joining("; "));
            if (!text.isEmpty()) {
                failing.put(route, text);
            }
        });
        return failing;
    }
}
