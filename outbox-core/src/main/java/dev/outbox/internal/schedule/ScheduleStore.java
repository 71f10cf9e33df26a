package dev.outbox.internal.schedule;

import dev.outbox.internal.sql.NamedSql;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Moves scheduled events, under the locks of their aggregates' counters. */
final class ScheduleStore {

    /** Length of a stream's queue from which only a few overdue events follow. */
    private static final int FULL_QUEUE = 500;

    private static final int TRICKLE = 20;

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

    static final String MOVE = sql("move");
    static final String DUE = sql("due");
    static final String PUT_ASIDE = sql("put aside");

    private final DataSource dataSource;
    private final Pipeline move;
    private final Pipeline due;
    private final Pipeline putAside;

    ScheduleStore(DataSource dataSource, OutboxSchema schema) {
        this.dataSource = dataSource;
        this.move = Pipeline.durable(schema, LONGEST_WAIT, Pipeline.IN_INDEX_ORDER, MOVE);
        this.due = new Pipeline(schema, Pipeline.IN_INDEX_ORDER, DUE);
        this.putAside = Pipeline.durable(schema, LONGEST_WAIT, PUT_ASIDE);
    }

    private static String sql(String result) {
        return NamedSql.of(ScheduleStore.class, "schedule.sql", result);
    }

    /** Place of an event in the order in which those of a stream are due. */
    record Place(String dueAt, UUID eventId) {

        static final Place FIRST = new Place("-infinity", new UUID(0, 0));
    }

    /** The due events of a stream that a round looked at: how many, and the last of them. */
    record Looked(int events, Place last) {

        /** Returns whether there may be others behind them. */
        boolean isLimited(int depth) {
            return events >= depth || events == TRICKLE;
        }
    }

    /** How many events of each stream were moved, which were looked at, and the milliseconds until the next one is due, if any. */
    record Round(
            Map<String, Integer> moved,
            Map<String, Looked> looked,
            @Nullable Long millisToNext) {

        int events() {
            return moved.values().stream().mapToInt(Integer::intValue).sum();
        }

        Duration untilNext(Duration longest) {
            return millisToNext == null || millisToNext > longest.toMillis()
                    ? longest
                    : Duration.ofMillis(millisToNext);
        }
    }

    /** A due event, which belongs to an aggregate. */
    record DueEvent(Place place, String aggregateType, String aggregateId, String eventType) {}

    /** How often an event was refused, and when it is tried again. */
    record Refused(int refusals, String nextAttempt) {}

    /**
     * Moves a batch of due events into the queue, in a transaction that waits for no other. Looks at so many events of each stream, from a
     * place on.
     */
    Round move(Map<String, Place> streams, int batch, int depth) throws SQLException {
        return move.run(
                dataSource,
                (parameters) -> parameters
                        .setTexts("streams", streams.keySet(), (stream) -> stream)
                        .setTexts("from_times", streams.values(), Place::dueAt)
                        .setTexts(
                                "from_events",
                                streams.values(),
                                (place) -> place.eventId().toString())
                        .set("batch", batch)
                        .set("depth", depth)
                        .set("full_queue", FULL_QUEUE)
                        .set("trickle", Math.min(TRICKLE, depth)),
                ScheduleStore::readRound);
    }

    private static Round readRound(Pipeline.Results results) throws SQLException {
        Map<String, Integer> moved = new TreeMap<>();
        Map<String, Looked> looked = new TreeMap<>();
        Long millisToNext = null;
        for (ResultSet row = results.rows(); row.next(); ) {
            String stream = row.getString(1);
            UUID last = row.getObject(5, UUID.class);
            if (stream == null) {
                millisToNext = row.getObject(2, Long.class);
            } else if (last == null) {
                moved.put(stream, row.getInt(2));
            } else {
                looked.put(stream, new Looked(row.getInt(3), new Place(row.getString(4), last)));
            }
        }
        return new Round(moved, looked, millisToNext);
    }

    /** Returns the first due events of a stream. */
    List<DueEvent> due(String stream, int limit) throws SQLException {
        return due.run(
                dataSource,
                (parameters) -> parameters.set("stream", stream).set("limit", limit),
                (results) -> results.list((row) -> new DueEvent(
                        new Place(row.getString(2), row.getObject(1, UUID.class)),
                        row.getString(3),
                        row.getString(4),
                        row.getString(5))));
    }

    /** Makes an event that was refused due later, unless it was changed or moved meanwhile. */
    Optional<Refused> putAside(DueEvent event, String error) throws SQLException {
        return putAside.run(
                dataSource,
                (parameters) -> parameters
                        .set("event_id", event.place().eventId())
                        .set("due_at", event.place().dueAt())
                        .set("error", error),
                (results) -> results.list((row) -> new Refused(row.getInt(1), row.getString(2))).stream()
                        .findFirst());
    }
}
