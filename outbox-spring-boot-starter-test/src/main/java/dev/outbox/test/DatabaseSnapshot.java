package dev.outbox.test;

import dev.outbox.internal.runtime.RuntimeSettings.Schemas;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Every row of the application's tables, and every event of the outbox, as text. Reads the tables whole. */
record DatabaseSnapshot(Map<String, Map<String, Long>> tables) {

    private static final int MOST_ROWS_SHOWN = 5;

    /** Ordinary and partitioned tables that the role may read, without those of the outbox. */
    private static final String APPLICATION_TABLES = """
            SELECT quote_ident(n.nspname) || '.' || quote_ident(c.relname)
              FROM pg_catalog.pg_class c
              JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
             WHERE c.relkind IN ('r', 'p')
               AND NOT c.relispartition
               AND n.nspname NOT IN ('pg_catalog', 'information_schema')
               AND n.nspname NOT LIKE 'pg\\_toast%'
               AND NOT (n.nspname = :outbox AND (c.relname LIKE 'outbox%' OR c.relname = 'processed_event'))
               AND NOT (n.nspname = :archive AND c.relname = 'events')
               AND has_table_privilege(c.oid, 'SELECT')
             ORDER BY 1
            """;

    static DatabaseSnapshot take(JdbcClient jdbc, Schemas schemas) {
        Map<String, Map<String, Long>> tables = new TreeMap<>();
        jdbc.sql(APPLICATION_TABLES)
                .param("outbox", schemas.outbox().name())
                .param("archive", schemas.archive().name())
                .query(String.class)
                .list()
                .forEach((table) ->
                        tables.put(table, rows(jdbc, "SELECT (t.*)::text, count(*) FROM " + table + " t GROUP BY 1")));
        tables.put("the outbox", rows(jdbc, """
                        SELECT o.event_type || ' of ' || o.aggregate_type || '/' || o.aggregate_id || '#' || o.aggregate_seq, count(*)
                          FROM {schema}.outbox o
                         GROUP BY 1
                         UNION ALL
                        SELECT s.event_type || ' of ' || s.aggregate_type || '/' || s.aggregate_id || ', scheduled', count(*)
                          FROM {schema}.outbox_scheduled s
                         GROUP BY 1
                        """.replace(
                        "{schema}", schemas.outbox().quoted())));
        return new DatabaseSnapshot(tables);
    }

    private static Map<String, Long> rows(JdbcClient jdbc, String sql) {
        Map<String, Long> rows = new HashMap<>();
        jdbc.sql(sql).query((row) -> {
            rows.put(row.getString(1), row.getLong(2));
        });
        return rows;
    }

    /** Describes the rows that a later snapshot has more or fewer of. */
    List<String> differences(DatabaseSnapshot later) {
        List<String> differences = new ArrayList<>();
        TreeSet<String> names = new TreeSet<>(tables.keySet());
        names.addAll(later.tables.keySet());
        for (String table : names) {
            Map<String, Long> before = tables.getOrDefault(table, Map.of());
            Map<String, Long> after = later.tables.getOrDefault(table, Map.of());
            List<String> changed = new ArrayList<>();
            surplus(before, after).forEach((row) -> changed.add("- " + row));
            surplus(after, before).forEach((row) -> changed.add("+ " + row));
            changed.stream().limit(MOST_ROWS_SHOWN).forEach((row) -> differences.add(table + ": " + row));
            if (changed.size() > MOST_ROWS_SHOWN) {
                differences.add(table + ": and " + (changed.size() - MOST_ROWS_SHOWN) + " more rows");
            }
        }
        return differences;
    }

    private static List<String> surplus(Map<String, Long> rows, Map<String, Long> than) {
        return rows.entrySet().stream()
                .filter((row) -> row.getValue() > than.getOrDefault(row.getKey(), 0L))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }
}
