package dev.outbox.internal.publish;

import dev.outbox.EventConflictException;
import dev.outbox.EventEnvelope;
import dev.outbox.InvalidEventException;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.sql.EventRow;
import dev.outbox.internal.sql.NamedSql;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Inserts events in the caller's transaction with one statement, which inserts nothing if it does not find their aggregate types: the
 * types are then added, or the events refused. If the caller chose ids, locks the counters and looks for known events first: a known event
 * takes no number. Until the transaction ends, the row lock of a counter, or of the application's entity, keeps later publishers of the
 * aggregate from committing before.
 */
final class EventStore {

    private static final Logger log = LoggerFactory.getLogger(EventStore.class);

    private final NamedSql insert;
    private final NamedSql insertWithSequence;
    private final NamedSql insertAll;
    private final NamedSql lockAggregates;
    private final NamedSql find;
    private final NamedSql compare;
    private final AggregateTypes types;
    private final ScheduledEvents scheduled;

    EventStore(OutboxSchema schema) {
        this.insert = sql(schema, "event");
        this.insertWithSequence = sql(schema, "numbered event");
        this.insertAll = sql(schema, "events");
        this.lockAggregates = sql(schema, "counters");
        this.find = sql(schema, "known");
        this.compare = sql(schema, "same payload");
        this.types = new AggregateTypes(schema);
        this.scheduled = new ScheduledEvents(schema);
    }

    private static NamedSql sql(OutboxSchema schema, String result) {
        return new NamedSql(schema.render(NamedSql.of(EventStore.class, "publish.sql", result)));
    }

    /** Stores events and returns them in the order given; a known event as it is stored. */
    List<EventEnvelope> insert(Connection connection, List<NewEvent> events) throws SQLException {
        NewEvent first = events.get(0);
        if (events.stream().anyMatch(NewEvent::isScheduled)) {
            return insertAndSchedule(connection, events);
        }
        return events.size() == 1 && first.given().eventId() == null
                ? List.of(insertOne(connection, first))
                : insertBatch(connection, events);
    }

    /** Withdraws a scheduled event. */
    boolean withdraw(Connection connection, Aggregate aggregate, String key) throws SQLException {
        lockAggregates(connection, new TreeSet<>(List.of(aggregate)));
        return scheduled.delete(connection, aggregate, key);
    }

    /** Locks all counters first, in sorted order. Events for now may be refused, so they come before those for later. */
    private List<EventEnvelope> insertAndSchedule(Connection connection, List<NewEvent> events) throws SQLException {
        types.admit(connection, events);
        lockAggregates(connection, counters(events));
        List<NewEvent> now =
                events.stream().filter((event) -> !event.isScheduled()).toList();
        Iterator<EventEnvelope> inserted =
                (now.isEmpty() ? List.<EventEnvelope>of() : insertBatch(connection, now)).iterator();
        List<EventEnvelope> stored = new ArrayList<>();
        for (NewEvent event : events) {
            stored.add(event.isScheduled() ? scheduled.put(connection, event) : inserted.next());
        }
        return stored;
    }

    private static SortedSet<Aggregate> counters(List<NewEvent> events) {
        return events.stream()
                .filter(NewEvent::isCounted)
                .map(NewEvent::aggregate)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private EventEnvelope insertOne(Connection connection, NewEvent event) throws SQLException {
        EventEnvelope stored = insert(connection, event, false);
        if (stored == null) {
            types.admit(connection, List.of(event));
            stored = insert(connection, event, true);
        }
        return returned(event, stored);
    }

    private List<EventEnvelope> insertBatch(Connection connection, List<NewEvent> events) throws SQLException {
        Map<UUID, EventEnvelope> envelopes = findKnown(connection, events);
        Map<UUID, NewEvent> fresh = new LinkedHashMap<>();
        for (NewEvent event : events) {
            EventEnvelope known = envelopes.get(event.eventId());
            if (known != null) {
                requireSame(event, Aggregate.of(known), known.eventType());
                reportOtherPayload(connection, event, known.payload());
                continue;
            }
            NewEvent twin = fresh.putIfAbsent(event.eventId(), event);
            if (twin != null) {
                requireSame(event, twin.aggregate(), twin.type().name());
                reportOtherPayload(connection, event, twin.body().payload());
            }
        }
        if (!fresh.isEmpty()) {
            insertFresh(connection, fresh, envelopes);
        }
        return events.stream()
                .map((event) -> returned(event, envelopes.get(event.eventId())))
                .toList();
    }

    private static EventEnvelope returned(NewEvent event, @Nullable EventEnvelope stored) {
        return Objects.requireNonNull(stored, () -> "the database returned no row for event " + event.eventId());
    }

    private Map<UUID, EventEnvelope> findKnown(Connection connection, List<NewEvent> events) throws SQLException {
        List<UUID> chosen = events.stream()
                .filter((event) -> event.given().eventId() != null)
                .map(NewEvent::eventId)
                .toList();
        if (chosen.isEmpty()) {
            return new HashMap<>();
        }
        SortedSet<Aggregate> counted = counters(events);
        if (!counted.isEmpty()) {
            lockAggregates(connection, counted);
        }
        FaultPoint.AFTER_COUNTER_LOCK.reached();
        return find(connection, chosen);
    }

    private void insertFresh(Connection connection, Map<UUID, NewEvent> fresh, Map<UUID, EventEnvelope> envelopes)
            throws SQLException {
        requireRising(fresh.values());
        if (!insertAll(connection, fresh, false, envelopes)) {
            types.admit(connection, fresh.values());
            insertAll(connection, fresh, true, envelopes);
        }
    }

    private static void requireRising(Collection<NewEvent> events) {
        Map<Aggregate, Long> lastSequences = new HashMap<>();
        for (NewEvent event : events) {
            Long sequence = event.given().sequence();
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
        boolean sameAggregate = event.aggregate().equals(aggregate)
                || (NewEvent.isUnordered(event.aggregate()) && NewEvent.isUnordered(aggregate));
        if (!sameAggregate || !event.type().name().equals(type)) {
            throw new EventConflictException(
                    "event id " + event.eventId() + " of " + event.type().name() + " ("
                            + event.aggregate() + ") is already used by " + type + " (" + aggregate
                            + "); use a unique id for each event");
        }
    }

    /** Leaves the comparison to the database, which stores numbers and names in a form of its own. */
    private void reportOtherPayload(Connection connection, NewEvent event, String stored) throws SQLException {
        if (stored.equals(event.body().payload())) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(compare.positional())) {
            compare.bind(statement)
                    .set("stored", stored)
                    .set("given", event.body().payload())
                    .requireAll();
            ResultSet row = statement.executeQuery();
            if (row.next() && !row.getBoolean(1)) {
                log.warn(
                        "Event id {} of {} ({}) was published again with another payload, and the first payload stays; use a"
                                + " new id for another event",
                        event.eventId(),
                        event.type().name(),
                        event.aggregate());
            }
        }
    }

    /** Inserts an event with a new id; returns {@code null} if its type is neither added nor known. */
    private @Nullable EventEnvelope insert(Connection connection, NewEvent event, boolean typeAdded)
            throws SQLException {
        Long sequence = event.given().sequence();
        NamedSql sql = sequence == null ? insert : insertWithSequence;
        try (PreparedStatement statement = connection.prepareStatement(sql.positional())) {
            NamedSql.Parameters parameters = sql.bind(statement)
                    .set("aggregate_type", event.aggregate().type())
                    .set("aggregate_id", event.aggregate().id())
                    .set("event_id", event.eventId())
                    .set("stream", event.stream())
                    .set("type", event.type().name())
                    .set("version", event.type().version())
                    .set("payload", event.body().payload())
                    .set("headers", event.body().headersJson())
                    .set("occurred_at", event.occurredAt())
                    .set("type_added", typeAdded)
                    .set("counted", event.typeRule().counted())
                    .set("origin", event.typeRule().origin());
            if (sequence != null) {
                parameters.set("seq", sequence);
            }
            parameters.requireAll();
            ResultSet row = statement.executeQuery();
            return row.next() ? event.at(row.getLong(1), row.getLong(2)) : null;
        }
    }

    /** Inserts new events; returns {@code false} if a type is neither added nor known. */
    private boolean insertAll(
            Connection connection, Map<UUID, NewEvent> fresh, boolean typesAdded, Map<UUID, EventEnvelope> envelopes)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(insertAll.positional())) {
            bind(insertAll.bind(statement), fresh.values())
                    .set("types_added", typesAdded)
                    .requireAll();
            ResultSet row = statement.executeQuery();
            boolean inserted = false;
            while (row.next()) {
                UUID id = row.getObject(2, UUID.class);
                NewEvent event = Objects.requireNonNull(fresh.get(id));
                envelopes.put(id, event.at(row.getLong(1), row.getLong(3)));
                inserted = true;
            }
            return inserted;
        }
    }

    private void lockAggregates(Connection connection, SortedSet<Aggregate> aggregates) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(lockAggregates.positional())) {
            lockAggregates
                    .bind(statement)
                    .setTexts("aggregate_types", aggregates, Aggregate::type)
                    .setTexts("aggregate_ids", aggregates, Aggregate::id)
                    .requireAll();
            statement.executeUpdate();
        }
    }

    private Map<UUID, EventEnvelope> find(Connection connection, Collection<UUID> eventIds) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(find.positional())) {
            find.bind(statement).setTexts("event_ids", eventIds, UUID::toString).requireAll();
            Map<UUID, EventEnvelope> found = new HashMap<>();
            ResultSet row = statement.executeQuery();
            while (row.next()) {
                EventEnvelope envelope = EventRow.read(row);
                found.put(envelope.eventId(), envelope);
            }
            return found;
        }
    }

    private static NamedSql.Parameters bind(NamedSql.Parameters parameters, Collection<NewEvent> events)
            throws SQLException {
        return parameters
                .setTexts("event_ids", events, (event) -> event.eventId().toString())
                .setTexts("streams", events, NewEvent::stream)
                .setTexts(
                        "aggregate_types", events, (event) -> event.aggregate().type())
                .setTexts("aggregate_ids", events, (event) -> event.aggregate().id())
                .setTexts("types", events, (event) -> event.type().name())
                .setLongs("versions", events, (event) -> event.type().version())
                .setTexts("payloads", events, (event) -> event.body().payload())
                .setTexts("headers", events, (event) -> event.body().headersJson())
                .setTexts("occurred_at", events, (event) -> event.occurredAt().toString())
                .set(
                        "sequences",
                        events.stream().map((event) -> event.given().sequence()).toArray(Long[]::new))
                .setTexts("origins", events, (event) -> event.typeRule().origin());
    }
}
