package dev.outbox.internal.schema;

import dev.outbox.internal.store.OutboxSchema;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Check that the archive table fits what retention writes. */
final class ArchiveTable {

    private static final String UNIQUE_COLUMN = "outbox_event_id";

    /** Columns that retention fills, and their types. */
    private static final Map<String, String> FILLED = Map.ofEntries(
            Map.entry(UNIQUE_COLUMN, "uuid"),
            Map.entry("stream", "text"),
            Map.entry("aggregate_type", "text"),
            Map.entry("aggregate_id", "text"),
            Map.entry("aggregate_seq", "bigint"),
            Map.entry("event_type", "text"),
            Map.entry("schema_version", "integer"),
            Map.entry("payload", "jsonb"),
            Map.entry("headers", "jsonb"),
            Map.entry("occurred_at", "timestamp with time zone"),
            Map.entry("published_at", "timestamp with time zone"),
            Map.entry("retry_count", "integer"),
            Map.entry("skipped_handlers", "text[]"));

    /** Reads the catalogs: the information schema hides tables that the role may not use. */
    private static final String COLUMNS = """
            SELECT a.attname,
                   format_type(a.atttypid, a.atttypmod) AS type,
                   a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' AS required
              FROM pg_catalog.pg_attribute a
              JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
              JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
             WHERE n.nspname = :schema
               AND c.relname = 'events'
               AND a.attnum > 0
               AND NOT a.attisdropped
             ORDER BY a.attnum
            """;

    private static final String IS_UNIQUE = """
            SELECT count(*) > 0
              FROM pg_catalog.pg_index i
              JOIN pg_catalog.pg_class c ON c.oid = i.indrelid
              JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
              JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[0]
             WHERE n.nspname = :schema
               AND c.relname = 'events'
               AND a.attname = :column
               AND i.indnkeyatts = 1
               AND i.indisunique
               AND i.indisvalid
               AND i.indimmediate
               AND i.indpred IS NULL
            """;

    private static final String OTHER_OWNERS = """
            SELECT o.outbox_schema
              FROM {archive}.outbox_archive_owner o
              JOIN pg_catalog.pg_namespace n ON n.nspname = o.outbox_schema
             WHERE o.outbox_schema <> :schema
             ORDER BY o.outbox_schema
            """;

    private final JdbcClient sql;
    private final OutboxSchema schema;

    ArchiveTable(DataSource dataSource, OutboxSchema schema) {
        this.sql = JdbcClient.create(dataSource);
        this.schema = schema;
    }

    private record Column(String type, boolean required) {

        /** Accepts both types of text without a length limit. */
        boolean takes(String expected) {
            return type.equals(expected) || (expected.equals("text") && type.equals("character varying"));
        }
    }

    /** Refuses an existing table that is no archive. */
    void checkIfPresent() {
        Map<String, Column> columns = columns();
        if (!columns.isEmpty()) {
            check(columns);
        }
    }

    /** Refuses a missing table, and one that is no archive. */
    void check() {
        Map<String, Column> columns = columns();
        if (columns.isEmpty()) {
            throw new ArchiveMismatchException(
                    name(), List.of("it was removed or renamed after the outbox created it"));
        }
        check(columns);
    }

    /** Returns the existing schemas of other outboxes that use the same archive. */
    List<String> otherOwners(OutboxSchema outbox) {
        return sql.sql(OTHER_OWNERS.replace("{archive}", schema.quoted()))
                .param("schema", outbox.name())
                .query(String.class)
                .list();
    }

    private void check(Map<String, Column> columns) {
        List<String> problems = new ArrayList<>();
        FILLED.keySet().stream().sorted().forEach((name) -> {
            Column column = columns.get(name);
            String expected = FILLED.get(name);
            if (column == null) {
                problems.add("column " + name + " is missing");
            } else if (!column.takes(String.valueOf(expected))) {
                problems.add("column " + name + " is " + column.type() + " instead of " + expected);
            }
        });
        columns.forEach((name, column) -> {
            if (column.required() && !FILLED.containsKey(name)) {
                problems.add("column " + name + " must not be null and has no default");
            }
        });
        if (columns.containsKey(UNIQUE_COLUMN) && !isUnique()) {
            problems.add("column " + UNIQUE_COLUMN + " has no unique constraint");
        }
        if (!problems.isEmpty()) {
            throw new ArchiveMismatchException(name(), problems);
        }
    }

    private Map<String, Column> columns() {
        Map<String, Column> columns = new LinkedHashMap<>();
        sql.sql(COLUMNS).param("schema", schema.name()).query((row) -> {
            columns.put(row.getString("attname"), new Column(row.getString("type"), row.getBoolean("required")));
        });
        return columns;
    }

    private boolean isUnique() {
        return sql.sql(IS_UNIQUE)
                .param("schema", schema.name())
                .param("column", UNIQUE_COLUMN)
                .query(Boolean.class)
                .single();
    }

    private String name() {
        return schema.quoted() + ".events";
    }
}
