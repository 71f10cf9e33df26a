package dev.outbox.internal.sql;

import dev.outbox.EventEnvelope;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads an envelope from the first eleven columns of a row, in the order of {@link #COLUMNS}. */
public final class EventRow {

    /**
     * Columns of an envelope, of a table alias {@code o}, as texts and whole numbers: the driver's code for other types is large, and
     * compiling it dominates the first 100,000 events of a process. Another program may write a time that is infinite or exceeds the
     * microseconds of a {@code bigint}; it is read as 1970 and does not stop the stream.
     */
    static final String COLUMNS = """
            o.id, o.event_id::text, o.stream, o.aggregate_type, o.aggregate_id, o.aggregate_seq, o.event_type, o.schema_version,
                   o.payload, o.headers,
                   CASE WHEN o.occurred_at > '-infinity' AND o.occurred_at < '200000-01-01 00:00:00+00'
                        THEN (extract(epoch FROM o.occurred_at) * 1000000)::bigint ELSE 0 END""";

    private static final String PAYLOAD = "o.payload";

    /** Index of the first column after the envelope. */
    public static final int NEXT_COLUMN = 12;

    private static final long MICROS_PER_SECOND = 1_000_000;

    private static final JsonMapper HEADERS = new JsonMapper();

    private EventRow() {}

    /** Returns the columns with an empty payload where the condition holds. */
    public static String columnsWithoutPayload(String condition) {
        return COLUMNS.replace(PAYLOAD, "CASE WHEN " + condition + " THEN '{}' ELSE " + PAYLOAD + " END");
    }

    public static EventEnvelope read(ResultSet row) throws SQLException {
        return read(row, false);
    }

    public static EventEnvelope read(ResultSet row, boolean replayed) throws SQLException {
        return new EventEnvelope(
                row.getLong(1),
                UUID.fromString(row.getString(2)),
                row.getString(3),
                row.getString(4),
                row.getString(5),
                row.getLong(6),
                row.getString(7),
                row.getInt(8),
                row.getString(9),
                headers(row.getString(10)),
                instant(row.getLong(11)),
                replayed);
    }

    private static Instant instant(long micros) {
        return Instant.ofEpochSecond(
                Math.floorDiv(micros, MICROS_PER_SECOND), Math.floorMod(micros, MICROS_PER_SECOND) * 1000);
    }

    /** Another program may write headers of another shape; they do not stop the event. */
    public static Map<String, String> headers(String json) {
        if (json.equals("{}")) {
            return Map.of();
        }
        try {
            Map<String, String> headers = new TreeMap<>();
            JsonNode node = HEADERS.readTree(json);
            node.properties().forEach((entry) -> headers.put(entry.getKey(), text(entry.getValue())));
            return headers;
        } catch (JacksonException ex) {
            return Map.of();
        }
    }

    private static String text(JsonNode value) {
        return value.isString() ? value.stringValue() : value.toString();
    }
}
