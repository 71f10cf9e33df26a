package dev.outbox.internal.schema;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
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
        assertThatThrownBy(() -> check(application)).isInstanceOf(OutboxConfigurationException.class);

        assertThatCode(() -> check(pool(database.dataSource()))).doesNotThrowAnyException();
    }

    /** Migrations use the direct connections, not those of the pool. */
    @Test
    void directConnectionsNeedTheRightsThemselves() {
        DataSource direct = UnpooledDataSource.at(database.jdbcUrl(), application);

        assertThatThrownBy(() -> check(direct)).isInstanceOf(OutboxConfigurationException.class);
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

    private static void check(DataSource dataSource) {
        new DatabaseCheck(dataSource, OutboxSchema.DEFAULT, new OutboxSchema("audit")).run(true);
    }
}
