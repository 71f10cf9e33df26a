package dev.outbox.internal.registry;

import dev.outbox.internal.sql.NamedSql;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** What handlers take, in statements: as rows of parameters, as columns, and as the condition that one of them takes an event. */
public final class Subscriptions {

    /** Rows of the parameters that {@link #bind} sets. */
    static final String ROWS = """
            unnest(:takers::text[], :event_types::text[], :aggregate_types::text[], :taken_streams::text[], :sources::text[])""";

    /** The subscriptions of the handler {@code h}, as {@link #read} reads them. */
    static final String OF_HANDLER = """
            SELECT ARRAY[s.event_type, s.aggregate_type, s.stream, s.source]
              FROM {schema}.outbox_subscription s
             WHERE s.handler_id = h.id""";

    /** The key of a subscription {@code s}, as {@link #keys} has it. The separator cannot be part of a value. */
    public static final String KEY =
            "concat_ws(chr(31), s.handler_id, s.event_type, s.aggregate_type, s.stream, s.source)";

    private record Row(String handlerId, Subscription taken) {

        private String key() {
            return String.join(
                    "\u001f", handlerId, taken.eventType(), taken.aggregateType(), taken.stream(), taken.source());
        }
    }

    private Subscriptions() {}

    /** Returns the condition that the subscription {@code s} takes a row: a delivery, or another subscription. */
    public static String takes(String row) {
        return """
                {schema}.outbox_takes(s.event_type, s.aggregate_type, s.stream, s.source, {row}.event_type, {row}.aggregate_type,
                                      {row}.stream, {row}.source)""".replace("{row}", row);
    }

    /**
     * Returns a query of handlers of the parameters, each with all that it takes: a search among the rows of all handlers, for each delivery,
     * would cost their square. The condition chooses rows {@code s}.
     */
    public static String takers(String condition) {
        return """
                SELECT s.handler_id, array_agg(s.event_type) AS event_types, array_agg(s.aggregate_type) AS aggregate_types,
                       array_agg(s.stream) AS taken_streams, array_agg(s.source) AS sources
                  FROM {rows} AS s (handler_id, event_type, aggregate_type, stream, source)
                 WHERE {condition}
                 GROUP BY s.handler_id""".replace("{rows}", ROWS).replace("{condition}", condition);
    }

    /** Returns the condition that a row of {@link #takers} takes a delivery. */
    public static String takenBy(String taker, String delivery) {
        return """
                EXISTS (SELECT
                          FROM unnest({taker}.event_types, {taker}.aggregate_types, {taker}.taken_streams, {taker}.sources)
                               AS s (event_type, aggregate_type, stream, source)
                         WHERE {takes})""".replace("{taker}", taker).replace("{takes}", takes(delivery));
    }

    /** Sets the rows, in the order in which every instance locks them. */
    public static NamedSql.Parameters bind(
            NamedSql.Parameters parameters, Map<String, ? extends Collection<Subscription>> subscriptions)
            throws SQLException {
        List<Row> rows = rows(subscriptions);
        return parameters
                .setTexts("takers", rows, Row::handlerId)
                .setTexts("event_types", rows, (row) -> row.taken().eventType())
                .setTexts("aggregate_types", rows, (row) -> row.taken().aggregateType())
                .setTexts("taken_streams", rows, (row) -> row.taken().stream())
                .setTexts("sources", rows, (row) -> row.taken().source());
    }

    private static List<Row> rows(Map<String, ? extends Collection<Subscription>> subscriptions) {
        return new TreeMap<>(subscriptions)
                .entrySet().stream()
                        .flatMap((handler) -> new TreeSet<>(handler.getValue())
                                .stream().map((taken) -> new Row(handler.getKey(), taken)))
                        .toList();
    }

    /** Returns the key of each subscription. */
    static List<String> keys(Map<String, ? extends Collection<Subscription>> subscriptions) {
        return rows(subscriptions).stream().map(Row::key).toList();
    }

    public static Set<String> texts(ResultSet row, int column) throws SQLException {
        return new TreeSet<>(List.of((String[]) row.getArray(column).getArray()));
    }

    public static Set<Subscription> read(ResultSet row, int column) throws SQLException {
        Set<Subscription> subscriptions = new TreeSet<>();
        for (Object values : (Object[]) row.getArray(column).getArray()) {
            String[] value = (String[]) values;
            subscriptions.add(new Subscription(value[0], value[1], value[2], value[3]));
        }
        return subscriptions;
    }
}
