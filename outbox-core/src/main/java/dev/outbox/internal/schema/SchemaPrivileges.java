package dev.outbox.internal.schema;

import dev.outbox.MissingPrivilegeException;
import dev.outbox.internal.store.OutboxSchema;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashSet;
import java.util.Set;

/** Checks that the role may create the outbox tables, or read their version, and that no foreign tables have their names. */
final class SchemaPrivileges {

    /** Reads the catalogs, which every role may. */
    private static final String STATE = """
            SELECT quote_ident(current_database()),
                   quote_ident(current_user),
                   has_database_privilege(current_database(), 'CREATE'),
                   quote_ident(wanted.name),
                   n.oid IS NOT NULL,
                   coalesce(has_schema_privilege(n.oid, 'USAGE'), false),
                   coalesce(has_schema_privilege(n.oid, 'CREATE'), false),
                   history.oid IS NOT NULL,
                   coalesce(has_table_privilege(history.oid, 'SELECT'), false),
                   (SELECT c.relname
                      FROM pg_catalog.pg_class c
                     WHERE c.relnamespace = n.oid
                       AND c.relname IN ('outbox', 'processed_event')
                       AND wanted.rank = 1
                     ORDER BY c.relname
                     LIMIT 1)
              FROM (VALUES (1, ?), (2, ?)) wanted (rank, name)
              LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = wanted.name
              LEFT JOIN pg_catalog.pg_class history ON history.relnamespace = n.oid AND history.relname = ?
             ORDER BY wanted.rank
            """;

    private final OutboxSchema schema;
    private final OutboxSchema archiveSchema;

    SchemaPrivileges(OutboxSchema schema, OutboxSchema archiveSchema) {
        this.schema = schema;
        this.archiveSchema = archiveSchema;
    }

    /** Throws if a privilege is missing. Tables that exist are left to the migration, which may have nothing to do. */
    void check(Connection connection, boolean migrate) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(STATE)) {
            statement.setString(1, schema.name());
            statement.setString(2, archiveSchema.name());
            statement.setString(3, OutboxMigrations.HISTORY);
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                boolean hasHistory = row.getBoolean(8);
                if (!migrate) {
                    checkReadable(row);
                } else if (!hasHistory) {
                    checkFree(row);
                    checkCreatable(row);
                }
            }
        }
    }

    private static void checkReadable(ResultSet row) throws SQLException {
        String database = row.getString(1);
        String role = row.getString(2);
        boolean exists = row.getBoolean(5);
        boolean readable = row.getBoolean(6) && row.getBoolean(9);
        if (exists && row.getBoolean(8) && !readable) {
            throw new MissingPrivilegeException(
                    "role " + role + " may not read the version of the outbox tables in schema " + row.getString(4),
                    "let the owner of the tables run db/outbox/grants.sql, which is in the JAR of outbox-core:\n\n    psql -d "
                            + database
                            + " -v migrator=<owner> -v publisher={role} -v worker={role} -v reader={role} -f grants.sql\n\nIt gives the role what a publisher,"
                                    .replace("{role}", role)
                            + " a worker and a reader need",
                    null);
        }
    }

    private static void checkFree(ResultSet row) throws SQLException {
        String foreign = row.getString(10);
        if (foreign != null) {
            throw new DatabaseSetupException(
                    "schema " + row.getString(4) + " has a table " + foreign
                            + " that the outbox did not create, because its history " + OutboxMigrations.HISTORY
                            + " is missing",
                    "set outbox.schema to another schema, or rename the table",
                    null);
        }
    }

    private static void checkCreatable(ResultSet row) throws SQLException {
        String database = row.getString(1);
        String role = row.getString(2);
        Set<String> grants = new LinkedHashSet<>();
        do {
            if (!row.getBoolean(5)) {
                if (!row.getBoolean(3)) {
                    grants.add("GRANT CREATE ON DATABASE " + database + " TO " + role + ";");
                }
            } else if (!row.getBoolean(6) || !row.getBoolean(7)) {
                grants.add("GRANT USAGE, CREATE ON SCHEMA " + row.getString(4) + " TO " + role + ";");
            }
        } while (row.next());
        if (!grants.isEmpty()) {
            throw new MissingPrivilegeException(
                    "role " + role + " may not create the outbox tables in database " + database,
                    "let the owner of the database run:\n\n    " + String.join("\n    ", grants)
                            + "\n\nor migrate with a role that owns the tables, and set outbox.migrate=false here",
                    null);
        }
    }
}
