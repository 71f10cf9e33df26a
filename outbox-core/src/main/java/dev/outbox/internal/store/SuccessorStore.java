package dev.outbox.internal.store;

import static java.util.Comparator.naturalOrder;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * Finds out whether a handler has had later events of an aggregate than one that it gave up on. Nothing is written about events that
 * were handled at once, so this is concluded: from what is in the queue, from how many events there are, and from history.
 */
final class SuccessorStore {

    /**
     * For deliveries that are dead and that their lanes have passed, to be run under the locks of the lanes and of the stream's row: no
     * claim may come between. Relies on outbox_unpublished_aggregate, once for each lane, on outbox_delivery_pk and outbox_aggregate_pk; reads
     * outbox_claim whole. A later event has reached the handler (ran) if it was offered to all handlers and nothing is left for
     * this one to do, or if a worker has it in its hands right now. Where fewer events lie behind in the queue than were ever
     * published (missing), the others are in history or in the archive, unless the publisher left gaps.
     */
    static final String LATER_IN_QUEUE = """
            WITH lane AS (
                SELECT d.handler_id, d.aggregate_type, d.aggregate_id, min(d.aggregate_seq) AS aggregate_seq,
                       min(o.dispatched_at) AS dispatched_at,
                       ARRAY(SELECT s.event_type
                               FROM {schema}.outbox_subscription s
                              WHERE s.handler_id = d.handler_id) AS event_types
                  FROM unnest(:events::bigint[], :lane_handlers::text[]) AS k (outbox_id, handler_id)
                  JOIN {schema}.outbox_delivery d ON d.outbox_id = k.outbox_id AND d.handler_id = k.handler_id
                  JOIN {schema}.outbox o ON o.id = d.outbox_id
                 WHERE d.status = 'DEAD'
                   AND NOT d.head
                 GROUP BY d.handler_id, d.aggregate_type, d.aggregate_id
            ), claimed AS MATERIALIZED (
                SELECT unnest(c.event_ids) AS id
                  FROM {schema}.outbox_claim c
            )
            SELECT lane.handler_id, lane.aggregate_type, lane.aggregate_id, lane.aggregate_seq,
                   coalesce(later.ran, 0), a.last_seq, a.last_seq - lane.aggregate_seq - later.queued,
                   lane.dispatched_at, clock_timestamp()
              FROM lane
              JOIN {schema}.outbox_aggregate a ON a.aggregate_type = lane.aggregate_type AND a.aggregate_id = lane.aggregate_id
             CROSS JOIN LATERAL (SELECT count(*) AS queued,
                                        max(o.aggregate_seq) FILTER (
                                            WHERE {wanted}
                                              AND CASE WHEN o.dispatched_at IS NULL THEN o.id IN (SELECT claimed.id FROM claimed)
                                                       ELSE d.outbox_id IS NULL
                                                            OR d.locked_until IS NOT NULL AND d.locked_until >= clock_timestamp() END
                                        ) AS ran
                                   FROM {schema}.outbox_unpublished o
                                   LEFT JOIN {schema}.outbox_delivery d ON d.outbox_id = o.id AND d.handler_id = lane.handler_id
                                  WHERE o.aggregate_type = lane.aggregate_type
                                    AND o.aggregate_id = lane.aggregate_id
                                    AND o.aggregate_seq > lane.aggregate_seq) later
            """.replace("{wanted}", wanted("o"));

    /**
     * To be run when the lanes have their new heads. Relies on outbox_delivery_pk and outbox_delivery_lane_head. What waits for a
     * later delivery waits because a worker attempts that one.
     */
    static final String OVERTAKEN = """
            SELECT d.outbox_id, d.handler_id
              FROM unnest(:events::bigint[], :lane_handlers::text[]) AS k (outbox_id, handler_id)
              JOIN {schema}.outbox_delivery d ON d.outbox_id = k.outbox_id AND d.handler_id = k.handler_id
              JOIN {schema}.outbox_delivery h ON h.aggregate_type = d.aggregate_type
                                             AND h.aggregate_id = d.aggregate_id
                                             AND h.handler_id = d.handler_id
                                             AND h.head
             WHERE d.status = 'WAITING'
               AND h.status = 'DUE'
               AND h.aggregate_seq > d.aggregate_seq
            """;

    /**
     * Relies on outbox_published_at: what came later was published after the dead event was dispatched. How much
     * of history that is depends on how long ago that was, so there is a limit.
     */
    private static final String LATER_IN_HISTORY = """
            SELECT lane.handler_id, lane.aggregate_type, lane.aggregate_id,
                   count(*), coalesce(max(o.aggregate_seq) FILTER (WHERE {wanted}), 0)
              FROM (SELECT l.handler_id, l.aggregate_type, l.aggregate_id, l.aggregate_seq,
                           ARRAY(SELECT s.event_type
                                   FROM {schema}.outbox_subscription s
                                  WHERE s.handler_id = l.handler_id) AS event_types
                      FROM unnest(:handler_ids::text[], :aggregate_types::text[], :aggregate_ids::text[], :seqs::bigint[])
                           AS l (handler_id, aggregate_type, aggregate_id, aggregate_seq)) lane
              JOIN {schema}.outbox_published o ON o.aggregate_type = lane.aggregate_type
                                              AND o.aggregate_id = lane.aggregate_id
                                              AND o.aggregate_seq > lane.aggregate_seq
             WHERE o.published_at >= :since
               AND o.published_at <= :until
             GROUP BY lane.handler_id, lane.aggregate_type, lane.aggregate_id
            """.replace("{wanted}", wanted("o"));

    private static final String AT_MOST = "SELECT set_config('statement_timeout', '1s', true)";
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);
    private static final Set<String> GAVE_UP = Set.of("57014", "55P03");

    private final DataSource dataSource;
    private final Pipeline laterInHistory;

    SuccessorStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.laterInHistory = new Pipeline(schema, LONGEST_WAIT, AT_MOST, LATER_IN_HISTORY);
    }

    /** A handler that nobody has registered, or no longer, may have wanted anything. */
    private static String wanted(String event) {
        return "(lane.event_types && ARRAY['*', " + event + ".event_type] OR lane.event_types = '{}')";
    }

    /** What the queue says of the events behind the first dead one of a lane. */
    record Later(Lane lane, long first, long ran, long last, long missing, OffsetDateTime since, OffsetDateTime until) {

        static List<Later> read(ResultSet row) throws SQLException {
            List<Later> later = new ArrayList<>();
            while (row.next()) {
                later.add(new Later(
                        laneOf(row),
                        row.getLong(4),
                        row.getLong(5),
                        row.getLong(6),
                        row.getLong(7),
                        row.getObject(8, OffsetDateTime.class),
                        row.getObject(9, OffsetDateTime.class)));
            }
            return later;
        }
    }

    private static Lane laneOf(ResultSet row) throws SQLException {
        return new Lane(row.getString(1), row.getString(2), row.getString(3));
    }

    /**
     * Finds out up to where each lane has run: what is in front of that is out of order. Where history cannot tell, because events are
     * archived already, the publisher left gaps, or the search takes too long, everything there is counts as having run.
     */
    Map<Lane, Long> ranTo(List<Later> inQueue) throws SQLException {
        Map<Lane, Long> ranTo = new HashMap<>();
        inQueue.forEach((later) -> ranTo.put(later.lane(), later.missing() > 0 ? later.last() : later.ran()));
        List<Later> open =
                inQueue.stream().filter((later) -> later.missing() > 0).toList();
        if (!open.isEmpty()) {
            try {
                ranTo.putAll(searchHistory(open));
            } catch (SQLException ex) {
                if (!GAVE_UP.contains(String.valueOf(ex.getSQLState()))) {
                    throw ex;
                }
            }
        }
        return ranTo;
    }

    private Map<Lane, Long> searchHistory(List<Later> open) throws SQLException {
        OffsetDateTime since =
                open.stream().map(Later::since).min(naturalOrder()).orElseThrow();
        OffsetDateTime until =
                open.stream().map(Later::until).max(naturalOrder()).orElseThrow();
        return laterInHistory.run(
                dataSource,
                (parameters) -> parameters
                        .setTexts("handler_ids", open, (one) -> one.lane().handlerId())
                        .setTexts("aggregate_types", open, (one) -> one.lane().aggregateType())
                        .setTexts("aggregate_ids", open, (one) -> one.lane().aggregateId())
                        .setLongs("seqs", open, Later::first)
                        .set("since", since)
                        .set("until", until),
                (results) -> {
                    results.skip(1);
                    return completed(open, results.rows());
                });
    }

    /** Of the lanes of which all was found that was missing, up to where they have run. */
    private static Map<Lane, Long> completed(List<Later> open, ResultSet row) throws SQLException {
        Map<Lane, Later> byLane = open.stream().collect(Collectors.toMap(Later::lane, Function.identity()));
        Map<Lane, Long> completed = new HashMap<>();
        while (row.next()) {
            Later later = byLane.get(laneOf(row));
            if (later != null && row.getLong(4) >= later.missing()) {
                completed.put(later.lane(), Math.max(later.ran(), row.getLong(5)));
            }
        }
        return completed;
    }
}
