package dev.outbox.internal.schema;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.internal.sql.NetworkTimeout;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * Checks before the first migration statement that the DataSource leads to a PostgreSQL in which the role may create the outbox tables, or
 * read their version, and in which no foreign tables have their names; and that a URL that bypasses a pooler leads to the same database. It
 * changes nothing.
 */
final class DatabaseCheck {

    private static final Logger log = LoggerFactory.getLogger(DatabaseCheck.class);

    private static final int OLDEST_MAJOR = 15;

    /** Reads the catalogs, which every role may. */
    private static final String STATE = """
            SELECT quote_ident(current_database()) AS database,
                   quote_ident(current_user) AS role,
                   quote_ident(:schema) AS schema,
                   history.oid IS NOT NULL AS migrated,
                   coalesce(has_schema_privilege(history.relnamespace, 'USAGE')
                            AND has_table_privilege(history.oid, 'SELECT'), false) AS readable,
                   (SELECT min(c.relname)
                      FROM pg_catalog.pg_class c
                     WHERE c.relnamespace = to_regnamespace(quote_ident(:schema))
                       AND c.relname IN (:names)
                       AND NOT EXISTS (SELECT
                                         FROM pg_catalog.pg_class own
                                        WHERE own.relnamespace = c.relnamespace
                                          AND own.relname = 'outbox_incarnation')) AS foreign_table,
                   (SELECT string_agg(DISTINCT missing.grants, E'\\n    ' ORDER BY missing.grants)
                      FROM (SELECT CASE WHEN n.oid IS NOT NULL
                                         AND NOT (has_schema_privilege(n.oid, 'USAGE') AND has_schema_privilege(n.oid, 'CREATE'))
                                        THEN 'GRANT USAGE, CREATE ON SCHEMA ' || quote_ident(n.nspname)
                                        WHEN n.oid IS NULL AND NOT has_database_privilege(current_database(), 'CREATE')
                                        THEN 'GRANT CREATE ON DATABASE ' || quote_ident(current_database())
                                   END || ' TO ' || quote_ident(current_user) || ';' AS grants
                              FROM unnest(ARRAY[:schema, :archive]::text[]) wanted (name)
                              LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = wanted.name) missing) AS grants
              FROM (SELECT) one
              LEFT JOIN pg_catalog.pg_class history
                     ON history.relnamespace = to_regnamespace(quote_ident(:schema)) AND history.relname = :history
            """;

    /** A pooler can rename a database, but not what its server says. */
    private static final String NAME = "SELECT current_database()";

    private static final String MAY_READ_SERVER =
            "SELECT has_function_privilege('pg_catalog.pg_control_system()', 'EXECUTE')";

    private static final String SERVER = "SELECT system_identifier FROM pg_catalog.pg_control_system()";

    private static final List<String> NAMES = OutboxRelation.LIST.stream()
            .filter((one) -> !one.archive())
            .map(OutboxRelation::name)
            .toList();

    private final DataSource dataSource;
    private final OutboxSchema schema;
    private final OutboxSchema archiveSchema;

    /** Database of a connection; without its server if a role may not read that. */
    private record Identity(String name, @Nullable Long server) {

        boolean mayBe(Identity other) {
            return name.equals(other.name) && (server == null || other.server == null || server.equals(other.server));
        }
    }

    DatabaseCheck(DataSource dataSource, OutboxSchema schema, OutboxSchema archiveSchema) {
        this.dataSource = dataSource;
        this.schema = schema;
        this.archiveSchema = archiveSchema;
    }

    /** Throws an {@link OutboxConfigurationException} if the outbox cannot migrate its tables, or read their version. */
    void run(boolean migrate) {
        Optional<AbstractRoutingDataSource> routing = routing();
        try (Connection connection = dataSource.getConnection();
                NetworkTimeout limit = NetworkTimeout.on(connection, NetworkTimeout.DEFAULT)) {
            checkProduct(limit.connection());
            routing.ifPresent((found) -> log.warn(
                    "The DataSource of the outbox, {}, routes each connection by a key of the calling thread. The outbox delivers the events of"
                            + " its default target only. A transaction that is routed to another database stores its events there, and they"
                            + " are not delivered",
                    found.getClass().getName()));
            if (dataSource instanceof UnpooledDataSource direct && direct.hasOwnUrl()) {
                checkSame(connection, direct);
            }
            checkRights(connection, migrate);
        } catch (IllegalStateException ex) {
            throw routing.isPresent() ? withoutDefault(routing.get(), ex) : ex;
        } catch (SQLException | RuntimeException ex) {
            throw DatabaseProblems.connecting(ex, dataSource);
        }
    }

    private Optional<AbstractRoutingDataSource> routing() {
        DataSource pool = dataSource instanceof UnpooledDataSource unpooled ? unpooled.pooled() : dataSource;
        try {
            return pool.isWrapperFor(AbstractRoutingDataSource.class)
                    ? Optional.of(pool.unwrap(AbstractRoutingDataSource.class))
                    : Optional.empty();
        } catch (SQLException | IllegalStateException ex) {
            return pool instanceof AbstractRoutingDataSource itself ? Optional.of(itself) : Optional.empty();
        }
    }

    private static OutboxConfigurationException withoutDefault(DataSource routing, IllegalStateException cause) {
        return new OutboxConfigurationException(
                "the DataSource of the outbox, " + routing.getClass().getName()
                        + ", routes each connection by a key of the calling thread, and has no database for a thread without a"
                        + " key, such as those of the outbox",
                "set a default target DataSource (setDefaultTargetDataSource), which then holds the outbox tables, or mark"
                        + " another DataSource bean with @OutboxDataSource; events are published in transactions of that"
                        + " DataSource",
                cause);
    }

    /** Engines that speak PostgreSQL's protocol choose a version number of their own. */
    private static void checkProduct(Connection connection) throws SQLException {
        DatabaseMetaData database = connection.getMetaData();
        String needed = "the outbox needs PostgreSQL " + OLDEST_MAJOR + " or later, and ";
        String url = DatabaseProblems.withoutParameters(database.getURL());
        if (!database.getDatabaseProductName().equals("PostgreSQL")) {
            throw new OutboxConfigurationException(
                    needed + "its DataSource connects to " + database.getDatabaseProductName() + " at " + url,
                    "set spring.datasource.url to a PostgreSQL database, such as jdbc:postgresql://localhost:5432/shop, or mark the"
                            + " DataSource of one with @OutboxDataSource; in tests, outbox-spring-boot-starter-test starts an embedded one",
                    null);
        }
        String engine =
                client(connection).sql("SELECT version()").query(String.class).single();
        if (!engine.startsWith("PostgreSQL ") || engine.contains("-YB-")) {
            throw new OutboxConfigurationException(
                    needed + "the server at " + url + " is another engine with its protocol: " + engine,
                    "set spring.datasource.url to a PostgreSQL database, or mark the DataSource of one with @OutboxDataSource",
                    null);
        }
        if (database.getDatabaseMajorVersion() < OLDEST_MAJOR) {
            throw new OutboxConfigurationException(
                    needed + "the server at " + url + " has version " + database.getDatabaseProductVersion(),
                    "upgrade the server, or set spring.datasource.url to a newer one",
                    null);
        }
    }

    /** The outbox would otherwise migrate a database in which no event is published. */
    private static void checkSame(Connection connection, UnpooledDataSource direct) {
        Identity own = identity(connection);
        Identity published;
        try (Connection pooled = direct.pooled().getConnection();
                NetworkTimeout limit = NetworkTimeout.on(pooled, NetworkTimeout.DEFAULT)) {
            checkProduct(limit.connection());
            published = identity(limit.connection());
        } catch (SQLException ex) {
            throw DatabaseProblems.connecting(ex, direct.pooled());
        }
        if (!own.mayBe(published)) {
            throw new OutboxConfigurationException(
                    "the property " + UnpooledDataSource.DIRECT_URL + " leads to database " + own.name()
                            + ", and the DataSource to "
                            + (own.name().equals(published.name())
                                    ? "that of another server"
                                    : "database " + published.name()),
                    "correct the host, port or database name in " + UnpooledDataSource.DIRECT_URL
                            + ", so that both lead to the database of the events",
                    null);
        }
    }

    private static Identity identity(Connection connection) {
        JdbcClient sql = client(connection);
        String name = sql.sql(NAME).query(String.class).single();
        boolean readable = sql.sql(MAY_READ_SERVER).query(Boolean.class).single();
        return new Identity(name, readable ? sql.sql(SERVER).query(Long.class).single() : null);
    }

    private static JdbcClient client(Connection connection) {
        return JdbcClient.create(new SingleConnectionDataSource(connection, true));
    }

    private void checkRights(Connection connection, boolean migrate) {
        client(connection)
                .sql(STATE)
                .param("schema", schema.name())
                .param("archive", archiveSchema.name())
                .param("history", OutboxMigrations.HISTORY)
                .param("names", NAMES)
                .query((row) -> {
                    if (!migrate && row.getBoolean("migrated")) {
                        checkReadable(row);
                    } else if (migrate && !row.getBoolean("migrated")) {
                        checkCreatable(row);
                    }
                });
    }

    private static void checkReadable(ResultSet row) throws SQLException {
        String role = row.getString("role");
        if (!row.getBoolean("readable")) {
            throw new OutboxConfigurationException(
                    "role " + role + " may not read the version of the outbox tables in schema "
                            + row.getString("schema"),
                    """
                    let the owner of the tables run dev/outbox/grants.sql, which is in the JAR of outbox-core:

                        psql -d {database} -v migrator=<owner> -v publisher={role} -v worker={role} -v reader={role} -f grants.sql

                    It gives the role what a publisher, a worker and a reader need""".replace("{database}", row.getString("database")).replace("{role}", role),
                    null);
        }
    }

    /** Tables that the outbox created are left to the migration, which explains that they have no history. */
    private static void checkCreatable(ResultSet row) throws SQLException {
        String foreign = row.getString("foreign_table");
        if (foreign != null) {
            throw new OutboxConfigurationException(
                    "schema " + row.getString("schema") + " has a table " + foreign
                            + " that the outbox did not create, because its history " + OutboxMigrations.HISTORY
                            + " is missing",
                    "set outbox.schema to another schema, or rename the table",
                    null);
        }
        String grants = row.getString("grants");
        if (grants != null) {
            throw new OutboxConfigurationException(
                    "role " + row.getString("role") + " may not create the outbox tables in database "
                            + row.getString("database"),
                    "let the owner of the database run:\n\n    " + grants
                            + "\n\nor migrate with a role that owns the tables, and set outbox.migrate=false here",
                    null);
        }
    }
}
