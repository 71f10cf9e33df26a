package dev.outbox.internal.schema;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.internal.sql.Pipeline;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The privileges that a process needs to deliver events, as {@code grants.sql} gives them to a worker. */
public final class WorkerPrivileges {

    /** Reads catalogs by name, which needs no privilege. Of SELECT, INSERT and UPDATE, some column suffices. */
    private static final String MISSING = """
            WITH needed (schema, relation, privileges) AS (
                SELECT CASE WHEN r.archive THEN :archive ELSE :schema END, r.name, r.privileges
                  FROM unnest(:names::text[], :archives::boolean[], :privileges::text[]) r (name, archive, privileges)
            )
            SELECT current_user, string_agg(missing.privilege, ', ' ORDER BY missing.privilege)
              FROM (SELECT 'USAGE on schema ' || quote_ident(n.nspname)
                      FROM pg_catalog.pg_namespace n
                     WHERE n.nspname IN (:schema, :archive)
                       AND NOT has_schema_privilege(n.oid, 'USAGE')
                     UNION ALL
                    SELECT needed.privilege || ' on ' || quote_ident(n.nspname) || '.' || quote_ident(c.relname)
                      FROM (SELECT schema, relation, unnest(string_to_array(privileges, ' ')) AS privilege
                              FROM needed) needed
                      JOIN pg_catalog.pg_namespace n ON n.nspname = needed.schema
                      JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = needed.relation
                     WHERE NOT CASE WHEN c.relkind = 'S' THEN has_sequence_privilege(c.oid, needed.privilege)
                                    WHEN needed.privilege = 'DELETE' THEN has_table_privilege(c.oid, needed.privilege)
                                    ELSE has_any_column_privilege(c.oid, needed.privilege) END
                     UNION ALL
                    SELECT 'EXECUTE on function ' || p.oid::regprocedure
                      FROM pg_catalog.pg_proc p
                      JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
                     WHERE n.nspname = :schema
                       AND p.proname IN ('outbox_add_failure', 'outbox_aggregate_hash', 'outbox_begin_incarnation', 'outbox_free_lanes', 'outbox_payload_size', 'outbox_source', 'outbox_takes')
                       AND NOT has_function_privilege(p.oid, 'EXECUTE')) missing (privilege)
            HAVING count(*) > 0
            """;

    private final DataSource dataSource;
    private final OutboxSchema schema;
    private final OutboxSchema archive;
    private final Pipeline missing;

    public WorkerPrivileges(DataSource dataSource, OutboxSchema schema, OutboxSchema archive) {
        this.dataSource = dataSource;
        this.schema = schema;
        this.archive = archive;
        this.missing = new Pipeline(schema, MISSING);
    }

    /** Refuses a role that may not deliver. */
    public void check() throws SQLException {
        missing.run(
                dataSource,
                (parameters) -> parameters
                        .set("schema", schema.name())
                        .set("archive", archive.name())
                        .setTexts("names", OutboxRelation.LIST, OutboxRelation::name)
                        .setTexts("archives", OutboxRelation.LIST, (one) -> Boolean.toString(one.archive()))
                        .setTexts("privileges", OutboxRelation.LIST, OutboxRelation::worker),
                (results) -> {
                    ResultSet row = results.rows();
                    if (row.next()) {
                        throw new OutboxConfigurationException(
                                "role " + row.getString(1) + " may not deliver events: it lacks " + row.getString(2),
                                "grant it what dev/outbox/grants.sql gives to a worker, or set outbox.poller.enabled=false if this"
                                        + " process does not deliver",
                                null);
                    }
                    return true;
                });
    }
}
