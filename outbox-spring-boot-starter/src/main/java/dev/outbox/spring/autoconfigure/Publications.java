package dev.outbox.spring.autoconfigure;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Reports publications through which change-data capture gets each event twice: a published event moves from the queue to history. */
final class Publications {

    private static final Logger log = LoggerFactory.getLogger(Publications.class);

    /**
     * Finds publications of INSERTs into the root, or into both partitions. One of the partitions that also has other tables moves the
     * database. One of the root cannot: the root has no key that a subscriber could delete by.
     */
    private static final String REPEATING = """
            SELECT quote_ident(p.pubname)
              FROM pg_catalog.pg_publication p
              JOIN pg_catalog.pg_publication_tables t ON t.pubname = p.pubname
             WHERE p.pubinsert
               AND t.schemaname = :schema
             GROUP BY p.pubname
            HAVING bool_or(t.tablename = 'outbox')
                OR (count(*) FILTER (WHERE t.tablename IN ('outbox_unpublished', 'outbox_published')) = 2
                    AND NOT bool_or(t.tablename = 'outbox_stream'))
             ORDER BY p.pubname
            """;

    private Publications() {}

    static void report(JdbcClient sql, String schema) {
        sql.sql(REPEATING)
                .param("schema", schema)
                .query(String.class)
                .list()
                .forEach((publication) -> log.warn(
                        "Publication {} has each event twice: when it is stored, and when it moves to history. Let Debezium read"
                                + " another one: CREATE PUBLICATION … FOR TABLE {}.outbox_unpublished WITH (publish = 'insert')",
                        publication,
                        schema));
    }
}
