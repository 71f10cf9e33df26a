package dev.outbox.internal.publish;

import dev.outbox.EventConflictException;
import dev.outbox.EventEnvelope;
import dev.outbox.InvalidEventException;
import dev.outbox.internal.delivery.InsertedEvent;
import dev.outbox.internal.delivery.NewEvent;
import dev.outbox.internal.delivery.NewEvent.Aggregate;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.store.EventStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Inserts events whose ids the caller chose, and batches with sequences. Locks the counters, looks for known events, then numbers the new
 * ones: a known event takes no number, so the sequence has no gap. Where the caller gives the sequences, the row of its entity is locked.
 */
final class NumberingInsert {

    private final EventStore store;

    NumberingInsert(EventStore store) {
        this.store = store;
    }

    List<EventEnvelope> insert(Connection connection, List<NewEvent> events) throws SQLException {
        SortedSet<Aggregate> counted = events.stream()
                .filter(NewEvent::isCounted)
                .map(NewEvent::aggregate)
                .collect(Collectors.toCollection(TreeSet::new));
        Map<Aggregate, Long> lastSequences = counted.isEmpty() ? Map.of() : store.lockAggregates(connection, counted);
        FaultPoint.AFTER_COUNTER_LOCK.reached();
        List<UUID> chosenIds = events.stream()
                .filter((event) -> event.chosen().eventId())
                .map(NewEvent::eventId)
                .toList();
        Batch batch = new Batch(lastSequences, chosenIds.isEmpty() ? Map.of() : store.find(connection, chosenIds));
        events.forEach(batch::add);
        Map<UUID, InsertedEvent> stored =
                batch.fresh.isEmpty() ? Map.of() : store.insertNumbered(connection, batch.fresh(), batch.sequences);
        return events.stream().map((event) -> batch.envelope(event, stored)).toList();
    }

    /** Events of one call: the known ones, and the new ones with their sequences. */
    private static final class Batch {

        private final Map<Aggregate, Long> lastSequences;
        private final Map<UUID, EventEnvelope> known;
        private final Map<UUID, NewEvent> fresh = new LinkedHashMap<>();
        private final List<Long> sequences = new ArrayList<>();

        Batch(Map<Aggregate, Long> lastSequences, Map<UUID, EventEnvelope> known) {
            this.lastSequences = new HashMap<>(lastSequences);
            this.known = known;
        }

        void add(NewEvent event) {
            EventEnvelope earlier = known.get(event.eventId());
            if (earlier != null) {
                requireSame(event, new Aggregate(earlier.aggregateType(), earlier.aggregateId()), earlier.eventType());
                return;
            }
            NewEvent twin = fresh.get(event.eventId());
            if (twin != null) {
                requireSame(event, twin.aggregate(), twin.type().name());
                return;
            }
            sequences.add(number(event));
            fresh.put(event.eventId(), event);
        }

        private long number(NewEvent event) {
            Long last = lastSequences.get(event.aggregate());
            Long chosen = event.chosen().sequence();
            if (chosen != null && last != null && chosen <= last) {
                throw new InvalidEventException(
                        "sequence " + chosen + " of " + event.type().name() + " of " + event.aggregate()
                                + " does not exceed " + last + ", that of an earlier event of this batch");
            }
            long sequence = chosen != null ? chosen : Objects.requireNonNull(last) + 1;
            lastSequences.put(event.aggregate(), sequence);
            return sequence;
        }

        List<NewEvent> fresh() {
            return List.copyOf(fresh.values());
        }

        EventEnvelope envelope(NewEvent event, Map<UUID, InsertedEvent> stored) {
            EventEnvelope earlier = known.get(event.eventId());
            if (earlier != null) {
                return earlier;
            }
            NewEvent first = fresh.getOrDefault(event.eventId(), event);
            InsertedEvent place = stored.get(event.eventId());
            if (place == null) {
                throw new IllegalStateException("the database returned no row for event " + event.eventId());
            }
            return first.at(place);
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
}
