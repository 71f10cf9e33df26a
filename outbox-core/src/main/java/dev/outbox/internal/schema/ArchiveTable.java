package dev.outbox.internal.schema;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.internal.store.OutboxSchema;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Check that the archive table fits what retention writes. */
final class ArchiveTable {

    /** Lists the columns that retention fills. Reads the catalogs: the information schema hides tables that the role may not use. */
    private static final String PROBLEMS = """
            WITH filled (name, type) AS (
                VALUES ('outbox_event_id', 'uuid'),
                       ('stream', 'text'),
                       ('aggregate_type', 'text'),
                       ('aggregate_id', 'text'),
                       ('aggregate_seq', 'bigint'),
                       ('event_type', 'text'),
                       ('schema_version', 'integer'),
                       ('payload', 'jsonb'),
                       ('headers', 'jsonb'),
                       ('occurred_at', 'timestamp with time zone'),
                       ('published_at', 'timestamp with time zone'),
                       ('retry_count', 'integer'),
                       ('skipped_handlers', 'text[]')
            ), archive AS (
                SELECT c.oid
                  FROM pg_catalog.pg_class c
                  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
                 WHERE n.nspname = :schema
                   AND c.relname = 'events'
            ), found (name, type, required) AS (
                SELECT a.attname::text,
                       regexp_replace(format_type(a.atttypid, a.atttypmod), '^character varying$', 'text'),
                       a.attnotnull AND NOT a.atthasdef AND a.attidentity = ''
                  FROM archive
                  JOIN pg_catalog.pg_attribute a ON a.attrelid = archive.oid AND a.attnum > 0 AND NOT a.attisdropped
            )
            SELECT 'it was removed or renamed after the outbox created it'
             WHERE NOT EXISTS (SELECT FROM archive)
               AND NOT :mayBeMissing
             UNION ALL
            SELECT 'column ' || filled.name || coalesce(' is ' || found.type || ' instead of ' || filled.type, ' is missing')
              FROM archive
             CROSS JOIN filled
              LEFT JOIN found USING (name)
             WHERE found.type IS DISTINCT FROM filled.type
             UNION ALL
            SELECT 'column ' || name || ' must not be null and has no default'
              FROM found
             WHERE required
               AND name NOT IN (SELECT name FROM filled)
             UNION ALL
            SELECT 'column outbox_event_id has no unique constraint'
              FROM archive
             WHERE NOT EXISTS (SELECT
                                 FROM pg_catalog.pg_index i
                                 JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
                                WHERE i.indrelid = archive.oid
                                  AND a.attname = 'outbox_event_id'
                                  AND i.indnkeyatts = 1
                                  AND i.indisunique
                                  AND i.indisvalid
                                  AND i.indimmediate
                                  AND i.indpred IS NULL)
             ORDER BY 1
            """;

    private final JdbcClient sql;
    private final OutboxSchema schema;

    ArchiveTable(DataSource dataSource, OutboxSchema schema) {
        this.sql = JdbcClient.create(dataSource);
        this.schema = schema;
    }

    /** Refuses a table that is no archive, probably one of the application. */
    void check(boolean mayBeMissing) {
        List<String> problems = sql.sql(PROBLEMS)
                .param("schema", schema.name())
                .param("mayBeMissing", mayBeMissing)
                .query(String.class)
                .list();
        if (!problems.isEmpty()) {
            throw new OutboxConfigurationException(
                    "table " + schema.quoted() + ".events cannot be the archive of the outbox: "
                            + String.join(", ", problems),
                    "set outbox.retention.archive-schema to another schema, or rename the existing table",
                    null);
        }
    }
}
