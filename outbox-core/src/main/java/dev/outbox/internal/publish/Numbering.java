package dev.outbox.internal.publish;

import dev.outbox.InvalidEventException;
import dev.outbox.internal.delivery.NewEvent;
import dev.outbox.internal.delivery.NewEvent.TypeRule;
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
 * Refuses an aggregate type whose events the outbox counts and the application numbers too, or that two services publish: their
 * sequences would not follow the order of commits. Types of committed events are remembered for a minute, since a crash or a restore may lose what is stored.
 */
public final class Numbering {

    private static final long REMEMBERED_NANOS = Duration.ofMinutes(1).toNanos();

    private final AggregateTypeStore store;
    private final LongSupplier nanos;
    private final Map<String, Known> known = new ConcurrentHashMap<>();

    private record Known(TypeRule rule, long since) {}

    /** Creates a guard that has seen no event yet. */
    public Numbering(AggregateTypeStore store, LongSupplier nanos) {
        this.store = store;
        this.nanos = nanos;
    }

    /**
     * Stores the rules of new types, unless an event is refused. Returns whether the rules can be remembered when the events are committed:
     * they have just been read or stored.
     */
    boolean require(Connection connection, List<NewEvent> events) throws SQLException {
        if (events.stream()
                .allMatch((event) -> Objects.equals(remembered(event.aggregate().type()), event.typeRule()))) {
            return false;
        }
        Map<String, TypeRule> read = new LinkedHashMap<>();
        Map<String, TypeRule> added = new LinkedHashMap<>();
        for (NewEvent event : events) {
            String type = event.aggregate().type();
            TypeRule rule = read.getOrDefault(type, remembered(type));
            if (rule == null || (!read.containsKey(type) && !rule.equals(event.typeRule()))) {
                Optional<TypeRule> stored = store.find(connection, type);
                rule = stored.orElse(event.typeRule());
                read.put(type, rule);
                if (stored.isEmpty()) {
                    added.put(type, rule);
                }
            }
            if (!Objects.equals(rule.origin(), event.typeRule().origin())) {
                throw ofAnotherOrigin(event, rule.origin());
            }
            if (rule.counted() != event.isCounted()) {
                throw refused(event, rule.counted());
            }
        }
        return store.addAll(connection, added);
    }

    private @Nullable TypeRule remembered(String type) {
        Known found = known.get(type);
        if (found == null || nanos.getAsLong() - found.since() > REMEMBERED_NANOS) {
            return null;
        }
        return found.rule();
    }

    private static InvalidEventException refused(NewEvent event, boolean counted) {
        return new InvalidEventException(event.type().name() + " of " + event.aggregate()
                + (counted ? " has a sequence, but other events" : " has no sequence, but other events")
                + " of this aggregate type" + (counted ? " have none" : " have one")
                + "; call OutboxEvent.withSequence for all events of an aggregate type or for none");
    }

    private static InvalidEventException ofAnotherOrigin(NewEvent event, @Nullable String owner) {
        String origin = event.typeRule().origin();
        return new InvalidEventException(
                event.type().name() + " of " + event.aggregate() + " comes from "
                        + (origin == null ? "this service" : origin)
                        + ", but other events of this aggregate type come from "
                        + (owner == null ? "this service" : owner)
                        + "; an aggregate type has one owner: use another aggregate type, such as one with a prefix for received events, or call OutboxOperations.changeOrigin if the service was renamed");
    }

    /** Remembers a type of committed events. */
    void remember(String aggregateType, TypeRule rule) {
        known.put(aggregateType, new Known(rule, nanos.getAsLong()));
    }

    /** Forgets all types: for the test kit, which empties the tables. */
    public void forget() {
        known.clear();
    }
}
