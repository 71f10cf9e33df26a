package dev.outbox.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.outbox.MissingPrivilegeException;
import dev.outbox.internal.store.OutboxSchema;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.OptionalInt;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Rights of a role that a pool gives to its connections. */
class DatabaseCheckTest {

    private final TestDatabase database = TestPostgres.shared().newDatabase();
    private final DataSource application = database.as(database.application());

    @AfterEach
    void dropDatabase() {
        database.close();
    }

    @Test
    void roleOfThePoolMayHaveTheRights() {
        assertThatThrownBy(() -> check(application, Optional.empty())).isInstanceOf(MissingPrivilegeException.class);

        assertThatCode(() -> check(pool(database.dataSource()), Optional.empty()))
                .doesNotThrowAnyException();
    }

    @Test
    void failureOfThePoolIsKept() {
        DataSource closed = new DelegatingDataSource(application) {
            @Override
            public Connection getConnection() throws SQLException {
                throw new SQLException("pool is closed");
            }
        };

        MissingPrivilegeException failure =
                catchThrowableOfType(MissingPrivilegeException.class, () -> check(closed, Optional.empty()));

        assertThat(failure.getSuppressed())
                .singleElement()
                .extracting(Throwable::getMessage)
                .isEqualTo("pool is closed");
    }

    /** Migrations use the direct connections, not those of the pool. */
    @Test
    void directConnectionsNeedTheRightsThemselves() {
        DataSource direct = UnpooledDataSource.at(database.jdbcUrl(), application);

        assertThatThrownBy(() -> check(pool(database.dataSource()), Optional.of(direct)))
                .isInstanceOf(MissingPrivilegeException.class);
    }

    /** Says how the application connects, but hands out connections with another role. */
    private DataSource pool(DataSource connections) {
        return new DelegatingDataSource(application) {
            @Override
            public Connection getConnection() throws SQLException {
                return connections.getConnection();
            }
        };
    }

    private static void check(DataSource dataSource, Optional<DataSource> direct) {
        new DatabaseCheck(dataSource, direct, OutboxSchema.DEFAULT, new OutboxSchema("audit"))
                .run(true, OptionalInt.empty());
    }
}
