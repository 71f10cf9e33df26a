package dev.outbox.internal.schema;

import dev.outbox.MissingPrivilegeException;
import dev.outbox.internal.store.OutboxSchema;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalInt;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * Checks before the first statement of a migration that the DataSource leads to a PostgreSQL that the outbox can use. It connects once,
 * outside the pool where that is possible, so that a pool neither waits for its own timeout nor logs the failure.
 */
public final class DatabaseCheck {

    private static final Logger log = LoggerFactory.getLogger(DatabaseCheck.class);

    private static final String PRODUCT = "PostgreSQL";
    private static final int OLDEST_MAJOR = 14;

    private final DataSource dataSource;
    private final Optional<DataSource> direct;
    private final SchemaPrivileges privileges;

    /** Prepares the check. The direct connections bypass a pooler, and the migrations use them if there are any. */
    public DatabaseCheck(
            DataSource dataSource, Optional<DataSource> direct, OutboxSchema schema, OutboxSchema archiveSchema) {
        this.dataSource = dataSource;
        this.direct = direct;
        this.privileges = new SchemaPrivileges(schema, archiveSchema);
    }

    /**
     * Throws a {@link DatabaseSetupException} or {@link MissingPrivilegeException}, and changes nothing.
     *
     * @param migrate whether the outbox creates its tables, or only reads their version
     * @param poolSize the number of connections of the pool, if it is known
     */
    public void run(boolean migrate, OptionalInt poolSize) {
        Optional<UnpooledDataSource> unpooled =
                direct.map(UnpooledDataSource.class::cast).or(() -> UnpooledDataSource.find(dataSource));
        if (poolSize.orElse(Integer.MAX_VALUE) < 2 && unpooled.isEmpty()) {
            throw new DatabaseSetupException(
                    "the connection pool of the outbox has one connection, and the migration of the tables needs two at the same time, as does the check of their version",
                    "give the pool at least two connections (spring.datasource.hikari.maximum-pool-size); a HikariDataSource with a"
                            + " jdbcUrl works with one, because the outbox then connects outside the pool",
                    null);
        }
        try (Connection connection = connect(unpooled)) {
            checkProduct(connection.getMetaData());
            warnIfRouting();
            privileges.check(connection, migrate);
        } catch (MissingPrivilegeException ex) {
            checkPrivilegesOfPool(ex, migrate);
        } catch (SQLException ex) {
            throw ConnectionProblem.translated(ex, unpooled);
        }
    }

    /** A pool may give its connections a role that they do not have outside of it. */
    private void checkPrivilegesOfPool(MissingPrivilegeException outside, boolean migrate) {
        if (direct.isPresent()) {
            throw outside;
        }
        try (Connection pooled = dataSource.getConnection()) {
            privileges.check(pooled, migrate);
        } catch (SQLException ex) {
            outside.addSuppressed(ex);
            throw outside;
        }
    }

    /** A pool may know how to connect where the URL and the credentials alone do not suffice. */
    private Connection connect(Optional<UnpooledDataSource> unpooled) throws SQLException {
        if (unpooled.isPresent()) {
            try {
                return unpooled.get().getConnection();
            } catch (SQLException ex) {
                if (unpooled.get().isExact() && ConnectionProblem.isFinal(ex)) {
                    throw ex;
                }
                log.debug("Could not connect outside the pool; using the pool", ex);
            }
        }
        try {
            return dataSource.getConnection();
        } catch (IllegalStateException ex) {
            Optional<AbstractRoutingDataSource> routing = routing();
            if (routing.isPresent()) {
                throw new DatabaseSetupException(
                        "the DataSource of the outbox, "
                                + routing.get().getClass().getName()
                                + ", routes each connection by a key of the calling thread, and has no database for a thread without a"
                                + " key, such as those of the outbox",
                        "set a default target DataSource (setDefaultTargetDataSource), which then holds the outbox tables, or mark"
                                + " another DataSource bean with @OutboxDataSource; events are published in transactions of that"
                                + " DataSource",
                        ex);
            }
            throw ex;
        } catch (RuntimeException ex) {
            throw ConnectionProblem.translated(ex, unpooled);
        }
    }

    private static void checkProduct(DatabaseMetaData database) throws SQLException {
        if (!database.getDatabaseProductName().equals(PRODUCT)) {
            throw new DatabaseSetupException(
                    "the outbox needs PostgreSQL " + OLDEST_MAJOR + " or later, and its DataSource connects to "
                            + database.getDatabaseProductName() + " at "
                            + ConnectionProblem.withoutParameters(database.getURL()),
                    "set spring.datasource.url to a PostgreSQL database, such as jdbc:postgresql://localhost:5432/shop, or mark the"
                            + " DataSource of one with @OutboxDataSource; in tests, outbox-spring-boot-starter-test starts an embedded one",
                    null);
        }
        if (database.getDatabaseMajorVersion() < OLDEST_MAJOR) {
            throw new DatabaseSetupException(
                    "the outbox needs PostgreSQL " + OLDEST_MAJOR + " or later, and the server at "
                            + ConnectionProblem.withoutParameters(database.getURL()) + " has version "
                            + database.getDatabaseProductVersion(),
                    "upgrade the server, or set spring.datasource.url to a newer one",
                    null);
        }
    }

    private void warnIfRouting() {
        routing()
                .ifPresent((routing) -> log.warn(
                        "The DataSource of the outbox, {}, routes each connection by a key of the calling thread. The outbox delivers the events of"
                                + " its default target only. A transaction that is routed to another database stores its events there, and they"
                                + " are not delivered",
                        routing.getClass().getName()));
    }

    private Optional<AbstractRoutingDataSource> routing() {
        try {
            return dataSource instanceof AbstractRoutingDataSource routing
                    ? Optional.of(routing)
                    : dataSource.isWrapperFor(AbstractRoutingDataSource.class)
                            ? Optional.of(dataSource.unwrap(AbstractRoutingDataSource.class))
                            : Optional.empty();
        } catch (SQLException ex) {
            return Optional.empty();
        }
    }
}
