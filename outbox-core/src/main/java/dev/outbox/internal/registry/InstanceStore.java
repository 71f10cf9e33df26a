package dev.outbox.internal.registry;

import dev.outbox.internal.sql.Counted;
import dev.outbox.internal.sql.NamedSql;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/** Keeps the signs of life of the instances that poll, and tells each what work waits for it. */
public final class InstanceStore {

    /**
     * Writes a heartbeat, and finds work that waits. Relies on outbox_instance_pk, outbox_unpublished_pending, outbox_claim_pk,
     * outbox_lane_due, outbox_replay_unfinished, outbox_delivery_unreported and outbox_scheduled_due; reads outbox_instance whole. Reads from the beginning of
     * each queue, because an event may lie before the claim window. A lane that is due within a minute counts as work: the poller then
     * knows when.
     */
    public static final String SEEN = """
            WITH old AS (
                DELETE FROM {schema}.outbox_instance i
                 WHERE i.name <> :name
                   AND i.last_seen_at < now() - interval '1 day'
            ), seen AS (
                UPDATE {schema}.outbox_instance i
                   SET last_seen_at = now(),
                       streams = :streams,
                       handlers = :handlers,
                       open_circuits = :open_circuits,
                       stopped = :stopped,
                       activity = :activity::jsonb
                 WHERE i.name = :name
                RETURNING i.name
            )
            SELECT ARRAY(SELECT s.stream
                           FROM unnest(:streams::text[]) AS s (stream)
                          WHERE (SELECT o.id
                                   FROM {schema}.outbox_unpublished o
                                  WHERE (o.stream, o.id) >= (s.stream, 0)
                                    AND (o.stream, o.id) <= (s.stream, 9223372036854775807)
                                    AND o.dispatched_at IS NULL
                                  ORDER BY o.stream, o.id
                                  LIMIT 1) IS NOT NULL
                             OR EXISTS (SELECT
                                          FROM {schema}.outbox_claim c
                                         WHERE c.id >= (SELECT w.first_claim FROM {schema}.outbox_stream w WHERE w.stream = s.stream)
                                           AND c.stream = s.stream)
                             OR EXISTS (SELECT
                                          FROM unnest(:handlers::text[]) AS h (id)
                                         CROSS JOIN unnest('{f,t}'::boolean[]) AS kind (suspect)
                                         CROSS JOIN LATERAL (SELECT
                                                               FROM {schema}.outbox_free_lanes(s.stream, h.id, kind.suspect) l
                                                              WHERE l.due_at < now() + interval '1 minute'
                                                              ORDER BY l.due_at
                                                              LIMIT 1) l)),
                   EXISTS (SELECT FROM {schema}.outbox_replay r WHERE r.finished_at IS NULL),
                   EXISTS (SELECT
                             FROM unnest(:reporting::text[]) AS h (id)
                            CROSS JOIN LATERAL (SELECT
                                                  FROM {schema}.outbox_delivery d
                                                 WHERE d.handler_id = h.id
                                                   AND d.status <> 'OPEN'
                                                   AND d.report_at < 'infinity'
                                                 ORDER BY d.report_at
                                                 LIMIT 1) d),
                   EXISTS (SELECT
                             FROM unnest(:streams::text[]) AS s (stream)
                            CROSS JOIN LATERAL (SELECT
                                                  FROM {schema}.outbox_scheduled d
                                                 WHERE d.stream = s.stream
                                                   AND d.due_at < now() + interval '1 minute'
                                                 ORDER BY d.due_at
                                                 LIMIT 1) d),
                   ARRAY(SELECT s.stream || chr(31) || i.name
                           FROM {schema}.outbox_instance i
                          CROSS JOIN unnest(i.streams) AS s (stream)
                          WHERE i.name <> :name
                            AND i.last_seen_at >= now() - interval '1 minute'
                            AND s.stream = ANY (:streams)),
                   EXISTS (SELECT FROM seen)
            """;

    /** Only here, because what the handlers of an instance take never changes, and may be long. */
    private static final String LIST = """
            INSERT INTO {schema}.outbox_instance (name, streams, handlers, subscriptions, open_circuits, stopped, activity)
            VALUES (:name, :streams, :handlers, :subscriptions, :open_circuits, :stopped, :activity::jsonb)
            ON CONFLICT (name) DO NOTHING
            """;

    /** Relies on outbox_instance_pk. */
    private static final String DELETE = """
            DELETE FROM {schema}.outbox_instance i
             WHERE i.name = :name
            """;

    /** Stops at the bound, and after a second on a table that is slow to read. */
    private static final String WAITING = """
            SELECT count(*)
              FROM (SELECT FROM {schema}.outbox_unpublished o WHERE o.status <> 'DEAD' LIMIT {most}) o
            """.replace("{most}", Integer.toString(Counted.MOST_OF_EACH));

    /** Stands between a stream and an instance, and cannot be part of the stream. */
    private static final String SEPARATOR = "\u001f";

    /**
     * Names the application of an instance and the topics that it receives, and finds handlers and topics that another application has too.
     * Reads outbox_instance whole.
     */
    public static final String NAME = """
            WITH named AS (
                UPDATE {schema}.outbox_instance i
                   SET application = :application,
                       topics = :topics
                 WHERE i.name = :name
            )
            SELECT DISTINCT h.id, i.application, h.number > cardinality(i.handlers) AS is_topic
              FROM {schema}.outbox_instance i
             CROSS JOIN LATERAL unnest(i.handlers || i.topics) WITH ORDINALITY AS h (id, number)
             WHERE i.application <> :application
               AND h.id = ANY (CASE WHEN h.number > cardinality(i.handlers) THEN :topics::text[] ELSE :handlers::text[] END)
               AND i.last_seen_at >= clock_timestamp() - interval '1 minute'
             ORDER BY h.id, i.application, is_topic
             LIMIT 20
            """;

    private final DataSource dataSource;
    private final Pipeline name;
    private final Pipeline seen;
    private final Pipeline list;
    private final Pipeline delete;
    private final Pipeline waiting;

    public InstanceStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.name = new Pipeline(schema, NAME);
        this.seen = new Pipeline(schema, SEEN);
        this.list = new Pipeline(schema, LIST);
        this.delete = new Pipeline(schema, DELETE);
        this.waiting = new Pipeline(schema, Pipeline.INSPECT.replace("5s", "1s"), WAITING);
    }

    /**
     * What an instance has: the streams that it polls, its handlers by all their ids, what they take, and those with a dead-letter method; the
     * handlers whose circuit is open, the inboxes that receive nothing, with their problems, and what the handlers do.
     */
    public record Equipment(
            Set<String> streams,
            Set<String> handlerIds,
            Map<String, Set<Subscription>> subscriptions,
            Set<String> reporting,
            Set<String> openCircuits,
            Set<String> stoppedInboxes,
            Activity activity) {}

    /**
     * Work of an instance: streams with events, claims or lanes that are due soon; replays; dead letters to report; events that are
     * due within a minute. And the other instances that live, by the streams that they poll too.
     */
    public record Work(
            Set<String> streams,
            boolean replays,
            boolean deadLetters,
            boolean scheduled,
            Map<String, Set<String>> pollers) {}

    /**
     * Renews the heartbeat of an instance, or lists the instance if it is not listed; removes instances without a heartbeat for a day; returns the
     * work that waits.
     */
    public Work seen(String name, Equipment equipment) throws SQLException {
        Seen seen = this.seen.run(
                dataSource,
                (parameters) -> bind(parameters, name, equipment)
                        .setTexts("reporting", equipment.reporting(), (handlerId) -> handlerId),
                (results) -> {
                    ResultSet row = results.row();
                    Work work = new Work(
                            Subscriptions.texts(row, 1),
                            row.getBoolean(2),
                            row.getBoolean(3),
                            row.getBoolean(4),
                            Subscriptions.texts(row, 5).stream()
                                    .map((text) -> text.split(SEPARATOR, 2))
                                    .collect(Collectors.groupingBy(
                                            (pair) -> pair[0],
                                            Collectors.mapping((pair) -> pair[1], Collectors.toSet()))));
                    return new Seen(work, row.getBoolean(6));
                });
        if (!seen.listed()) {
            list.run(
                    dataSource,
                    (parameters) -> bind(parameters, name, equipment)
                            .setTexts("subscriptions", Subscriptions.keys(equipment.subscriptions()), (key) -> key));
        }
        return seen.work();
    }

    private record Seen(Work work, boolean listed) {}

    private static NamedSql.Parameters bind(NamedSql.Parameters parameters, String name, Equipment equipment)
            throws SQLException {
        return parameters
                .set("name", name)
                .setTexts("streams", equipment.streams(), (stream) -> stream)
                .setTexts("handlers", equipment.handlerIds(), (handlerId) -> handlerId)
                .setTexts("open_circuits", equipment.openCircuits(), (handlerId) -> handlerId)
                .setTexts("stopped", equipment.stoppedInboxes(), (inbox) -> inbox)
                .set("activity", equipment.activity().toJson());
    }

    /** Handler or topic that this application and another one have. */
    public record Shared(String name, String application, boolean isTopic) {}

    /** Names the application and the topics of a listed instance, and returns the handlers and topics that another live application has too. */
    public List<Shared> name(String instance, String application, Set<String> handlerIds, Set<String> topics)
            throws SQLException {
        return name.run(
                dataSource,
                (parameters) -> parameters
                        .set("name", instance)
                        .set("application", application)
                        .setTexts("handlers", handlerIds, (handlerId) -> handlerId)
                        .setTexts("topics", topics, (topic) -> topic),
                (results) -> results.list((row) -> new Shared(row.getString(1), row.getString(2), row.getBoolean(3))));
    }

    /** Removes an instance that stops. */
    public void delete(String name) throws SQLException {
        delete.run(dataSource, (parameters) -> parameters.set("name", name));
    }

    /** Returns how many events are not published yet, without those that wait for an operator. */
    public Counted waiting() throws SQLException {
        return waiting.run(
                dataSource,
                (parameters) -> {},
                (results) -> Counted.upTo(results.row().getLong(1), Counted.MOST_OF_EACH));
    }
}
