package dev.outbox.spring.autoconfigure;

import dev.outbox.internal.sql.Counted;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Reports other schemas of the database whose events wait, and which no instance polls: {@code outbox.schema} has probably changed. */
final class AbandonedSchemas {

    private static final Logger log = LoggerFactory.getLogger(AbandonedSchemas.class);

    /** Finds other schemas with outbox tables that this role may read, and asks for the time in the same round trip. */
    static final String CLOCK_AND_OTHERS = """
            SELECT clock_timestamp() AS clock, ARRAY(
                       SELECT quote_ident(n.nspname)
                         FROM pg_catalog.pg_class h
                         JOIN pg_catalog.pg_namespace n ON n.oid = h.relnamespace
                        WHERE h.relname = 'outbox_schema_history'
                          AND n.nspname <> :schema
                          AND has_schema_privilege(n.oid, 'USAGE')
                          AND (SELECT count(*)
                                 FROM pg_catalog.pg_class t
                                WHERE t.relnamespace = n.oid
                                  AND t.relname IN ('outbox_unpublished', 'outbox_scheduled', 'outbox_instance')
                                  AND has_table_privilege(t.oid, 'SELECT')) = 3
                        ORDER BY n.nspname
                        LIMIT 20) AS others
            """;

    /** Counts no more than it says. */
    private static final String WAITING = """
            SELECT (SELECT count(*) FROM (SELECT FROM {schema}.outbox_unpublished LIMIT :most) unpublished)
                   + (SELECT count(*) FROM (SELECT FROM {schema}.outbox_scheduled LIMIT :most) scheduled)
             WHERE NOT EXISTS (SELECT
                                 FROM {schema}.outbox_instance i
                                WHERE i.last_seen_at >= clock_timestamp() - interval '1 minute')
            """;

    private AbandonedSchemas() {}

    static void report(JdbcClient sql, List<String> others) {
        for (String other : others) {
            Counted waiting = Counted.upTo(waiting(sql, other), Counted.MOST_OF_EACH);
            if (waiting.value() > 0) {
                log.warn(
                        "Schema {} of this database has {} unpublished or scheduled events, and no instance polls it. If outbox.schema"
                                + " has changed, run an instance with outbox.schema={} until they are handled",
                        other,
                        waiting,
                        other);
            }
        }
    }

    private static long waiting(JdbcClient sql, String schema) {
        try {
            return sql.sql(WAITING.replace("{schema}", schema))
                    .param("most", Counted.MOST_OF_EACH)
                    .query(Long.class)
                    .optional()
                    .orElse(0L);
        } catch (DataAccessException ex) {
            log.debug("Could not count the events of schema {}", schema, ex);
            return 0;
        }
    }
}
