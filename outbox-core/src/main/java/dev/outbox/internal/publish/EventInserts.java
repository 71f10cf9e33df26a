package dev.outbox.internal.publish;

import dev.outbox.EventConflictException;
import dev.outbox.EventEnvelope;
import dev.outbox.InvalidEventException;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.publish.NewEvent.Aggregate;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Inserts events with one statement, which inserts nothing if it does not find their aggregate types: the types are then added, or the
 * events refused. If the caller chose ids, locks the counters and looks for known events first: a known event takes no number.
 */
final class EventInserts {

    private final EventStore store;
    private final AggregateTypes types;

    EventInserts(OutboxSchema schema) {
        this.store = new EventStore(schema);
        this.types = new AggregateTypes(new AggregateTypeStore(schema));
    }

    EventEnvelope insert(Connection connection, NewEvent event) throws SQLException {
        if (event.chosen().eventId()) {
            return insert(connection, List.of(event)).get(0);
        }
        Optional<InsertedEvent> stored = store.insert(connection, event, false);
        if (stored.isEmpty()) {
            types.admit(connection, List.of(event));
            stored = store.insert(connection, event, true);
        }
        return event.at(stored.orElseThrow());
    }

    List<EventEnvelope> insert(Connection connection, List<NewEvent> events) throws SQLException {
        Map<UUID, EventEnvelope> envelopes = findKnown(connection, events);
        Map<UUID, NewEvent> fresh = new LinkedHashMap<>();
        for (NewEvent event : events) {
            EventEnvelope known = envelopes.get(event.eventId());
            if (known != null) {
                requireSame(event, new Aggregate(known.aggregateType(), known.aggregateId()), known.eventType());
                continue;
            }
            NewEvent twin = fresh.putIfAbsent(event.eventId(), event);
            if (twin != null) {
                requireSame(event, twin.aggregate(), twin.type().name());
            }
        }
        if (!fresh.isEmpty()) {
            Map<UUID, InsertedEvent> stored = insertAll(connection, List.copyOf(fresh.values()));
            fresh.forEach((id, event) -> {
                InsertedEvent place = stored.get(id);
                if (place == null) {
                    throw new IllegalStateException("the database returned no row for event " + id);
                }
                envelopes.put(id, event.at(place));
            });
        }
        return events.stream()
                .map((event) -> Objects.requireNonNull(envelopes.get(event.eventId())))
                .toList();
    }

    private Map<UUID, EventEnvelope> findKnown(Connection connection, List<NewEvent> events) throws SQLException {
        List<UUID> chosen = events.stream()
                .filter((event) -> event.chosen().eventId())
                .map(NewEvent::eventId)
                .toList();
        if (chosen.isEmpty()) {
            return new HashMap<>();
        }
        TreeSet<Aggregate> counted = events.stream()
                .filter(NewEvent::isCounted)
                .map(NewEvent::aggregate)
                .collect(Collectors.toCollection(TreeSet::new));
        if (!counted.isEmpty()) {
            store.lockAggregates(connection, counted);
        }
        FaultPoint.AFTER_COUNTER_LOCK.reached();
        return store.find(connection, chosen);
    }

    private Map<UUID, InsertedEvent> insertAll(Connection connection, List<NewEvent> events) throws SQLException {
        requireRising(events);
        Map<UUID, InsertedEvent> stored = store.insertAll(connection, events, false);
        if (stored.isEmpty()) {
            types.admit(connection, events);
            stored = store.insertAll(connection, events, true);
        }
        return stored;
    }

    private static void requireRising(List<NewEvent> events) {
        Map<Aggregate, Long> lastSequences = new HashMap<>();
        for (NewEvent event : events) {
            Long sequence = event.chosen().sequence();
            if (sequence == null) {
                continue;
            }
            Long last = lastSequences.put(event.aggregate(), sequence);
            if (last != null && sequence <= last) {
                throw new InvalidEventException(
                        "sequence " + sequence + " of " + event.type().name() + " of " + event.aggregate()
                                + " does not exceed " + last + ", that of an earlier event of this batch");
            }
        }
    }

    private static void requireSame(NewEvent event, Aggregate aggregate, String type) {
        if (!event.aggregate().equals(aggregate) || !event.type().name().equals(type)) {
            throw new EventConflictException(
                    "event id " + event.eventId() + " of " + event.type().name() + " ("
                            + event.aggregate() + ") is already used by " + type + " (" + aggregate
                            + "); use a unique id for each event");
        }
    }
}
