package dev.outbox.operations.internal.inspect;

import dev.outbox.internal.registry.HandlerStore;
import dev.outbox.internal.registry.KnownHandlers;
import dev.outbox.internal.registry.Subscription;
import dev.outbox.internal.registry.Subscriptions;
import dev.outbox.internal.sql.EventRow;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import dev.outbox.operations.Delivery;
import dev.outbox.operations.Delivery.FailedAttempt;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.EventDetails;
import dev.outbox.operations.EventDetails.HandlerProgress;
import dev.outbox.operations.EventDetails.Outcome;
import dev.outbox.operations.Operation;
import dev.outbox.operations.OutboxOverview;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Reads one event, how far each handler is, and what operators did. */
final class EventStateStore {

    /**
     * Relies on outbox_unpublished_event_id, outbox_published_event_id, outbox_delivery_pk and outbox_lane_pk; reads outbox_claim whole.
     * Leaves out what a reader may not see: the aggregate type tells whether the event was received, not its headers.
     */
    static final String EVENT = """
            SELECT {event}, o.schema_version, o.status, o.dispatched_at, o.published_at,
                   c.worker, c.events, c.claimed_at, c.locked_until,
                   coalesce(c.locked_until >= clock_timestamp(), false)
                   OR o.published_at IS NULL
                      AND (SELECT lease.id
                             FROM {schema}.outbox_delivery d
                            CROSS JOIN LATERAL (SELECT l.claim_id
                                                  FROM {schema}.outbox_lane l
                                                 WHERE (l.aggregate_type, l.aggregate_id, l.handler_id)
                                                       = (d.aggregate_type, d.aggregate_id, d.handler_id)
                                                 LIMIT 1) l
                            CROSS JOIN LATERAL (SELECT lease.id
                                                  FROM {schema}.outbox_claim lease
                                                 WHERE lease.id = l.claim_id
                                                   AND lease.locked_until >= clock_timestamp()
                                                 LIMIT 1) lease
                            WHERE d.outbox_id = o.id
                              AND d.status = 'OPEN'
                            LIMIT 1) IS NOT NULL,
                   coalesce(o.skipped_handlers, '{}'),
                   EXISTS (SELECT
                             FROM {schema}.outbox_aggregate_type t
                            WHERE t.aggregate_type = o.aggregate_type
                              AND t.origin IS NOT NULL),
                   coalesce(o.failures, '{}')::text,
                   o.erased_at
              FROM {schema}.outbox o
              LEFT JOIN LATERAL (SELECT c.worker, cardinality(c.event_ids) AS events, c.claimed_at, c.locked_until
                                   FROM {schema}.outbox_claim c
                                  WHERE o.dispatched_at IS NULL
                                    AND o.id = ANY (c.event_ids)
                                  ORDER BY c.locked_until DESC
                                  LIMIT 1) c ON true
             WHERE o.event_id = :event_id
             LIMIT 1
            """.replace("{event}", DeliveryRow.EVENT_COLUMNS);

    /** Relies on outbox_unpublished_event_id, outbox_published_event_id and outbox_delivery_pk. */
    static final String DELIVERIES = DeliveryRow.select("""
                    SELECT d.*
                      FROM {schema}.outbox_delivery d
                     WHERE d.outbox_id = ANY (ARRAY(SELECT o.id FROM {schema}.outbox o WHERE o.event_id = :event_id))
                     ORDER BY d.outbox_id, d.handler_id
                     LIMIT 1000""");

    /** Relies on outbox_unpublished_event_id and outbox_published_event_id. Leaves out what might not fit into the heap. */
    static final String CONTENT = """
            SELECT CASE WHEN octet_length(o.payload::text) <= 8388608 THEN o.payload::text
                        ELSE to_json('left out: ' || octet_length(o.payload::text) || ' bytes')::text END,
                   o.headers::text
              FROM {schema}.outbox o
             WHERE o.event_id = :event_id
             LIMIT 1
            """;

    private final DataSource dataSource;
    private final Pipeline find;
    private final Pipeline content;

    public EventStateStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.find =
                new Pipeline(schema, Pipeline.INSPECT, EVENT, DELIVERIES, HandlerStore.ALL, OperationLogStore.OF_EVENT);
        this.content = new Pipeline(schema, Pipeline.INSPECT, CONTENT);
    }

    /** Finds an event without its payload and headers. */
    public Optional<EventDetails> find(UUID eventId) throws SQLException {
        return find.run(dataSource, (parameters) -> parameters.set("event_id", eventId), (results) -> {
            ResultSet row = results.rows(EVENT);
            return row.next() ? Optional.of(details(row, results)) : Optional.empty();
        });
    }

    private static EventDetails details(ResultSet row, Pipeline.Results results) throws SQLException {
        int next = DeliveryRow.AFTER_EVENT;
        Delivery.Event event = DeliveryRow.event(row);
        int schemaVersion = row.getInt(next);
        EventDetails.Progress progress = new EventDetails.Progress(
                EventDetails.Status.valueOf(row.getBoolean(next + 8) ? "PROCESSING" : row.getString(next + 1)),
                DeliveryRow.instant(row, next + 2),
                DeliveryRow.instant(row, next + 3),
                DeliveryRow.instant(row, next + 12),
                claim(row, next + 4));
        Set<String> skipped = Subscriptions.texts(row, next + 9);
        boolean withdrawn = skipped.remove("*");
        Subscription values =
                Subscription.of(event.type(), event.aggregateType(), event.stream(), row.getBoolean(next + 10));
        Map<String, List<FailedAttempt>> stored = FailedAttemptsJson.readEach(row.getString(next + 11));
        List<Delivery> deliveries = results.list(DELIVERIES, DeliveryRow::read);
        KnownHandlers known = HandlerStore.known(results);
        Map<String, HandlerProgress> handlers = handlers(known, deliveries);
        Map<String, List<FailedAttempt>> ended = new HashMap<>();
        stored.forEach((id, failures) -> ended.put(known.currentId(id), failures));
        skipped.forEach((id) -> add(handlers, known.currentId(id), Outcome.SKIPPED, ended));
        List<Operation> operations = results.list(OperationLogStore::read);
        Outcome untouched =
                progress.dispatchedAt() == null ? Outcome.PENDING : withdrawn ? Outcome.SKIPPED : Outcome.DONE;
        known.current().stream()
                .filter((handler) -> handler.takes(values))
                .forEach((handler) -> add(handlers, handler.id(), untouched, ended));
        ended.keySet().forEach((id) -> add(handlers, id, untouched, ended));
        return new EventDetails(event, schemaVersion, progress, List.copyOf(handlers.values()), operations);
    }

    private static void add(
            Map<String, HandlerProgress> handlers,
            String handlerId,
            Outcome outcome,
            Map<String, List<FailedAttempt>> ended) {
        handlers.computeIfAbsent(
                handlerId, (id) -> new HandlerProgress(id, outcome, null, ended.getOrDefault(id, List.of())));
    }

    /** A delivery or skip under a former id belongs to the current handler, unless that has one of its own. */
    private static Map<String, HandlerProgress> handlers(KnownHandlers known, List<Delivery> deliveries) {
        Set<String> stored = deliveries.stream().map(Delivery::handlerId).collect(Collectors.toSet());
        Map<String, HandlerProgress> handlers = new TreeMap<>();
        for (Delivery delivery : deliveries) {
            String current = known.currentId(delivery.handlerId());
            String id = stored.contains(current) ? delivery.handlerId() : current;
            boolean dead = delivery.state().status() == DeliveryStatus.DEAD;
            handlers.put(
                    id,
                    new HandlerProgress(
                            id,
                            dead ? Outcome.DEAD : Outcome.OPEN,
                            delivery,
                            delivery.attempts().failures()));
        }
        return handlers;
    }

    private static OutboxOverview.@Nullable Claim claim(ResultSet row, int first) throws SQLException {
        String worker = row.getString(first);
        return worker == null
                ? null
                : new OutboxOverview.Claim(
                        worker,
                        row.getInt(first + 1),
                        row.getObject(first + 2, OffsetDateTime.class).toInstant(),
                        row.getObject(first + 3, OffsetDateTime.class).toInstant());
    }

    /** Reads the payload and the headers of an event. */
    public Optional<EventDetails.Content> content(UUID eventId) throws SQLException {
        return content.run(dataSource, (parameters) -> parameters.set("event_id", eventId), (results) -> {
            ResultSet row = results.rows();
            return row.next()
                    ? Optional.of(new EventDetails.Content(row.getString(1), EventRow.headers(row.getString(2))))
                    : Optional.empty();
        });
    }
}
