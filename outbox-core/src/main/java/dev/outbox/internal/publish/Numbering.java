package dev.outbox.internal.publish;

import dev.outbox.InvalidEventException;
import dev.outbox.internal.delivery.NewEvent;
import dev.outbox.internal.store.AggregateTypeStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Refuses an aggregate type whose events the outbox counts and the application numbers too: their sequences would not follow the order of
 * commits. Types of committed events are remembered for a minute, since a crash or a restore may lose what is stored.
 */
public final class Numbering {

    private static final long REMEMBERED_NANOS = Duration.ofMinutes(1).toNanos();

    private final AggregateTypeStore store;
    private final LongSupplier nanos;
    private final Map<String, Known> known = new ConcurrentHashMap<>();

    private record Known(boolean counted, long since) {}

    /** Creates a guard that has seen no event yet. */
    public Numbering(AggregateTypeStore store, LongSupplier nanos) {
        this.store = store;
        this.nanos = nanos;
    }

    /**
     * Stores the kinds of new types, unless an event is refused. Returns whether the kinds can be remembered when the events are committed:
     * they have just been read or stored.
     */
    boolean require(Connection connection, List<NewEvent> events) throws SQLException {
        if (events.stream()
                .allMatch((event) -> Objects.equals(remembered(event.aggregate().type()), event.isCounted()))) {
            return false;
        }
        Map<String, Boolean> read = new LinkedHashMap<>();
        Map<String, Boolean> added = new LinkedHashMap<>();
        for (NewEvent event : events) {
            String type = event.aggregate().type();
            Boolean counted = read.getOrDefault(type, remembered(type));
            if (counted == null) {
                Optional<Boolean> stored = store.isCounted(connection, type);
                counted = stored.orElse(event.isCounted());
                read.put(type, counted);
                if (stored.isEmpty()) {
                    added.put(type, counted);
                }
            }
            if (counted != event.isCounted()) {
                throw refused(event, counted);
            }
        }
        return store.addAll(connection, added);
    }

    private @Nullable Boolean remembered(String type) {
        Known kind = known.get(type);
        if (kind == null || nanos.getAsLong() - kind.since() > REMEMBERED_NANOS) {
            return null;
        }
        return kind.counted();
    }

    private static InvalidEventException refused(NewEvent event, boolean counted) {
        return new InvalidEventException(event.type().name() + " of " + event.aggregate()
                + (counted ? " has a sequence, but other events" : " has no sequence, but other events")
                + " of this aggregate type" + (counted ? " have none" : " have one")
                + "; call OutboxEvent.withSequence for all events of an aggregate type or for none");
    }

    /** Remembers a type of committed events. */
    void remember(String aggregateType, boolean counted) {
        known.put(aggregateType, new Known(counted, nanos.getAsLong()));
    }
}
