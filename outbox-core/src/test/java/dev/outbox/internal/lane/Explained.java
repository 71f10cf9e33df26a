package dev.outbox.internal.lane;

import static java.util.stream.Collectors.joining;

import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.internal.registry.Subscription;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import javax.sql.DataSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Explains statements as {@code Pipeline} runs them, and counts what they visit. */
public record Explained(DataSource dataSource, String... settings) {

    private static final JsonMapper JSON = new JsonMapper();
    private static final Pattern NAME = Pattern.compile("(?<!:):([a-z_]+)");

    /** With the plan that a prepared statement has, which does not know the values. Rolls back what it changes. */
    public JsonNode explain(String sql, String types, String values) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SET LOCAL plan_cache_mode = force_generic_plan");
            statement.execute("SET LOCAL enable_seqscan = off");
            statement.execute("SET LOCAL outbox.last_id = '1000000'");
            statement.execute("SET LOCAL outbox.locked_stream = 'default'");
            for (String setting : settings) {
                statement.execute(setting);
            }
            statement.execute(
                    "PREPARE explained " + inParentheses(types) + " AS " + numbered(OutboxSchema.DEFAULT.render(sql)));
            try (ResultSet row = statement.executeQuery(
                    "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE explained " + inParentheses(values))) {
                return plan(row);
            } finally {
                statement.execute("DEALLOCATE explained");
                connection.rollback();
            }
        }
    }

    /** The two statements of a claim, for handlers that take every event. Rolls back what they change. */
    public List<JsonNode> explainClaimOfLanes(List<String> handlers, int batchSize, int followers, boolean withSuspects)
            throws SQLException {
        return explainClaimOfLanes(handlers, batchSize, followers, withSuspects, "-infinity");
    }

    public List<JsonNode> explainClaimOfLanes(
            List<String> handlers, int batchSize, int followers, boolean withSuspects, String dueFrom)
            throws SQLException {
        return explainClaimOfLanes(allTypes(handlers), batchSize, followers, withSuspects, dueFrom);
    }

    /** The two statements of a claim. Rolls back what they change. */
    public List<JsonNode> explainClaimOfLanes(
            ActiveHandlers handlers, int batchSize, int followers, boolean withSuspects, String dueFrom)
            throws SQLException {
        Map<String, String> values = parametersOf(handlers, dueFrom);
        values.put("with_suspects", "boolean '" + withSuspects + "'");
        values.put("batch_size", "int '" + batchSize + "'");
        values.put("followers", "int '" + followers + "'");
        return explain(List.of(DeliveryClaimStore.LOCK_DUE, DeliveryClaimStore.TAKE), values);
    }

    /** The look for the next due time, for handlers that take every event. */
    public JsonNode explainUntilNext(List<String> handlers, String dueFrom) throws SQLException {
        return explainUntilNext(allTypes(handlers), dueFrom);
    }

    public JsonNode explainUntilNext(ActiveHandlers handlers, String dueFrom) throws SQLException {
        return explain(List.of(LaneSql.UNTIL_NEXT), parametersOf(handlers, dueFrom))
                .get(0);
    }

    private static ActiveHandlers allTypes(List<String> handlers) {
        return ActiveHandlers.ofAllTypes(handlers.toArray(String[]::new));
    }

    private static Map<String, String> parametersOf(ActiveHandlers handlers, String dueFrom) {
        Map<String, String> values = new HashMap<>(Map.of(
                "stream",
                "text 'default'",
                "worker",
                "text 'w'",
                "token",
                "uuid '00000000-0000-0000-0000-000000000002'",
                "lease",
                "bigint '60000'"));
        values.put("alone", "boolean 'false'");
        values.put("due_from", "timestamptz '" + dueFrom + "'");
        values.put("takers", texts(handlers, (handler, taken) -> handler));
        values.put("event_types", texts(handlers, (handler, taken) -> taken.eventType()));
        values.put("aggregate_types", texts(handlers, (handler, taken) -> taken.aggregateType()));
        values.put("taken_streams", texts(handlers, (handler, taken) -> taken.stream()));
        values.put("sources", texts(handlers, (handler, taken) -> taken.source()));
        return values;
    }

    private static String texts(ActiveHandlers handlers, BiFunction<String, Subscription, String> value) {
        return handlers.byId().entrySet().stream()
                .flatMap((handler) ->
                        handler.getValue().stream().sorted().map((taken) -> value.apply(handler.getKey(), taken)))
                .collect(joining(",", "text[] '{", "}'"));
    }

    private List<JsonNode> explain(List<String> statements, Map<String, String> values) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("SET LOCAL plan_cache_mode = force_generic_plan");
            statement.execute("SET LOCAL enable_seqscan = off");
            List<JsonNode> plans = new ArrayList<>();
            for (String sql : statements) {
                String rendered = OutboxSchema.DEFAULT.render(sql);
                List<String> bound = names(rendered).stream().map(values::get).toList();
                String types =
                        bound.stream().map((value) -> value.split(" ")[0]).collect(joining(", "));
                String literals = bound.stream()
                        .map((value) -> value.substring(value.indexOf(' ') + 1))
                        .collect(joining(", "));
                statement.execute("PREPARE explained (" + types + ") AS " + numbered(rendered));
                try (ResultSet row = statement.executeQuery(
                        "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE explained (" + literals + ")")) {
                    plans.add(plan(row));
                }
                statement.execute("DEALLOCATE explained");
            }
            connection.rollback();
            return plans;
        }
    }

    private static String inParentheses(String list) {
        return list.isEmpty() ? "" : "(" + list + ")";
    }

    /** Numbers each name where it occurs first. */
    static String numbered(String sql) {
        List<String> names = names(sql);
        return NAME.matcher(sql).replaceAll((match) -> "\\$" + (names.indexOf(match.group(1)) + 1));
    }

    /** Returns the parameters in the order of their numbers. */
    static List<String> names(String sql) {
        return NAME.matcher(sql)
                .results()
                .map((match) -> match.group(1))
                .distinct()
                .toList();
    }

    static JsonNode plan(ResultSet row) throws SQLException {
        row.next();
        return JSON.readTree(row.getString(1)).get(0).get("Plan");
    }

    public static List<JsonNode> nodes(JsonNode node) {
        JsonNode children = node.path("Plans");
        return Stream.concat(
                        Stream.of(node),
                        StreamSupport.stream(children.spliterator(), false).flatMap((child) -> nodes(child).stream()))
                .toList();
    }

    /** Those that were returned and those that were looked at and left out. */
    public static long rowsVisited(JsonNode plan, String table) {
        return nodes(plan).stream()
                .filter((node) -> node.path("Relation Name").asString("").equals(table))
                .filter((node) -> node.path("Node Type").asString("").contains("Scan"))
                .flatMapToLong((node) ->
                        LongStream.of(Math.round(node.path("Actual Loops").asDouble(0)
                                * (node.path("Actual Rows").asDouble(0)
                                        + node.path("Rows Removed by Filter").asDouble(0)))))
                .sum();
    }

    /** Rows that any part of the plan returned, or looked at and left out: also those that it compared with each other. */
    static long rowsHandled(JsonNode plan) {
        return nodes(plan).stream()
                .mapToLong((node) -> Math.round(node.path("Actual Loops").asDouble(0)
                        * (node.path("Actual Rows").asDouble(0)
                                + node.path("Rows Removed by Filter").asDouble(0)
                                + node.path("Rows Removed by Join Filter").asDouble(0)
                                + node.path("Rows Removed by Index Recheck").asDouble(0))))
                .sum();
    }

    public static List<String> indexesOf(JsonNode plan) {
        return nodes(plan).stream()
                .map((node) -> node.path("Index Name").asString(""))
                .filter((name) -> !name.isEmpty())
                .distinct()
                .toList();
    }

    /** At least; what a statement changes on the side is counted apart from what it returns. */
    public static long pages(JsonNode plan) {
        return nodes(plan).stream()
                .mapToLong((node) -> node.path("Shared Hit Blocks").asLong(0)
                        + node.path("Shared Read Blocks").asLong(0))
                .max()
                .orElseThrow();
    }
}
