package dev.outbox.operations.internal.inspect;

import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.lane.LaneRows;
import java.util.List;
import java.util.UUID;
import java.util.regex.Pattern;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Large tables for the inspector. The aggregate {@code order/big} has 15,000 events of each kind. */
record InspectedTables(TestOutbox outbox) {

    static final int OF_BIG = 15_000;
    static final String[] HANDLERS = {"audit", "billing", "mail", "search", "stock"};

    private static final int CHUNK = 1_000_000;
    private static final Pattern NAME = Pattern.compile("INDEX (\\w+) ON");
    private static final int RECENT = 100_000;

    /** Loads the tables without their triggers. */
    void load(int published, int pending, int dead, int failed) {
        for (String table : new String[] {"outbox", "outbox_published", "outbox_unpublished", "outbox_delivery"}) {
            sql().sql("ALTER TABLE events." + table + " DISABLE TRIGGER USER").update();
        }
        sql().sql("INSERT INTO events.outbox_stream (stream) VALUES ('default'), ('slow')")
                .update();
        for (String handler : HANDLERS) {
            sql().sql("INSERT INTO events.outbox_handler (id) VALUES (?)")
                    .param(handler)
                    .update();
            sql().sql("INSERT INTO events.outbox_subscription (handler_id, event_type) VALUES (?, '*')")
                    .param(handler)
                    .update();
        }
        List<String> indexes = dropIndexes();
        for (int left = published - RECENT; left > 0; left -= CHUNK) {
            addPublished(Math.min(CHUNK, left), "now() - interval '1 day' + n * interval '1 ms'");
        }
        addPublished(RECENT, "now() + n * interval '10 ms'");
        addOpen("PENDING", pending);
        addOpen("DEAD", dead);
        addOpen("FAILED", failed);
        addOpen("WAITING", OF_BIG);
        indexes.forEach((index) -> sql().sql(index).update());
        LaneRows.addMissing(sql());
        sql().sql(
                        "VACUUM ANALYZE events.outbox_published, events.outbox_unpublished, events.outbox_delivery, events.outbox_lane")
                .update();
    }

    /** Drops the indexes of no constraint, which are faster to build when the rows are there. */
    private List<String> dropIndexes() {
        List<String> definitions = sql().sql("""
                        SELECT i.indexdef
                          FROM pg_indexes i
                         WHERE i.schemaname = 'events'
                           AND i.tablename IN ('outbox_published', 'outbox_unpublished', 'outbox_delivery')
                           AND i.indexname NOT IN (SELECT c.conname FROM pg_constraint c)
                         ORDER BY i.indexname
                        """).query(String.class).list();
        definitions.forEach((definition) -> sql().sql("DROP INDEX events."
                        + NAME.matcher(definition)
                                .results()
                                .map((found) -> found.group(1))
                                .findFirst()
                                .orElseThrow())
                .update());
        return definitions;
    }

    private JdbcClient sql() {
        return outbox.sql();
    }

    private void addPublished(int events, String publishedAt) {
        sql().sql("""
                        INSERT INTO events.outbox_published
                               (id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, payload, headers, status,
                                dispatched_at, published_at)
                        SELECT nextval('events.outbox_id_seq'), CASE n % 4 WHEN 0 THEN 'slow' ELSE 'default' END, 'order',
                               (n % 100000)::text, n, CASE n % 3 WHEN 0 THEN 'OrderPaid' ELSE 'OrderPlaced' END,
                               jsonb_build_object('number', n, 'text', repeat('x', 100)),
                               jsonb_build_object('traceId', md5(n::text)), 'PUBLISHED', now(),
                               {published at}
                          FROM generate_series(1, ?) n
                        """.replace("{published at}", publishedAt)).param(events).update();
    }

    /** Adds events that are pending, or have a delivery of the kind; the first ones belong to the big aggregate. */
    private void addOpen(String kind, int events) {
        sql().sql("""
                        WITH event AS (
                            INSERT INTO events.outbox_unpublished
                                   (stream, aggregate_type, aggregate_id, aggregate_seq, event_type, payload, headers, status,
                                    dispatched_at)
                            SELECT 'default', 'order', CASE WHEN n <= {of big} AND :kind <> 'FAILED' THEN 'big' ELSE :kind || n END,
                                   nextval('events.outbox_claim_id_seq'), 'OrderPlaced',
                                   jsonb_build_object('number', n, 'text', repeat('x', 100)),
                                   jsonb_build_object('traceId', md5(n::text)),
                                   CASE WHEN :kind IN ('PENDING', 'DEAD') THEN :kind ELSE 'RETRYING' END,
                                   CASE WHEN :kind <> 'PENDING' THEN now() END
                              FROM generate_series(1, :events) n
                            RETURNING id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type
                        )
                        INSERT INTO events.outbox_delivery
                               (outbox_id, handler_id, stream, aggregate_type, aggregate_id, aggregate_seq, event_type, status,
                                attempt_count, retry_count, next_retry_at, last_attempt_at, last_error_code, last_error, failures)
                        SELECT e.id, CASE WHEN e.aggregate_id = 'big' THEN 'mail'
                                          ELSE ('{audit,billing,mail,search,stock}'::text[])[e.id % 5 + 1] END,
                               e.stream, e.aggregate_type, e.aggregate_id, e.aggregate_seq, e.event_type,
                               CASE :kind WHEN 'DEAD' THEN 'DEAD' ELSE 'OPEN' END, 3, 3,
                               CASE :kind WHEN 'FAILED' THEN now() + interval '1 h' WHEN 'WAITING' THEN now() END, now(),
                               CASE WHEN :kind <> 'WAITING'
                                    THEN ('{IOException,TimeoutException,SQLException,IllegalStateException}'::text[])[e.id / 5 % 4 + 1] END,
                               'no route to the host of the handler',
                               jsonb_build_array(jsonb_build_object('attempt', 1, 'at', now(), 'code', 'IOException', 'message', 'first'))
                          FROM event e
                         WHERE :kind <> 'PENDING'
                        """.replace("{of big}", Integer.toString(OF_BIG)))
                .param("kind", kind)
                .param("events", events)
                .update();
    }

    /** Returns the event id of an event. */
    UUID eventId(String condition) {
        return sql().sql("SELECT event_id FROM events.outbox WHERE " + condition + " LIMIT 1")
                .query(UUID.class)
                .single();
    }
}
