package dev.outbox.internal.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

class UnpooledDataSourceTest {

    private final TestDatabase database = TestPostgres.shared().newDatabase();

    @AfterEach
    void close() {
        database.close();
    }

    @Test
    void opensConnectionsBesideAPool() throws SQLException {
        try (HikariDataSource pool = pool();
                Connection only = pool.getConnection()) {
            assertThat(only.isValid(5)).isTrue();
            assertOpens(pool);
        }
    }

    @Test
    void looksBehindProxies() throws SQLException {
        try (HikariDataSource pool = pool()) {
            assertOpens(new TransactionAwareDataSourceProxy(pool));
            assertOpens(new LazyConnectionDataSourceProxy(new TransactionAwareDataSourceProxy(pool)));
            assertOpens((DataSource) Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {DataSource.class},
                    (proxy, method, arguments) -> method.invoke(pool, arguments)));
        }
    }

    @Test
    void looksBehindAPoolOfADataSource() throws SQLException {
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setDataSource(database.dataSource());
            assertOpens(pool);
        }
    }

    @Test
    void opensAnotherUrlWithTheCredentialsOfThePool() throws SQLException {
        try (TestDatabase other = TestPostgres.shared().newDatabase();
                HikariDataSource pool = pool();
                Connection direct = UnpooledDataSource.at(other.jdbcUrl(), pool).getConnection()) {
            assertThat(direct.getCatalog()).isEqualTo(other.name());
            assertThat(direct.getMetaData().getUserName()).isEqualTo(database.username());
        }
    }

    @Test
    void credentialsInTheOtherUrlSuffice() throws SQLException {
        String url = database.jdbcUrl() + (database.jdbcUrl().contains("?") ? "&" : "?") + "user="
                + database.application() + "&password=" + database.password();
        try (HikariDataSource pool = pool();
                Connection besidePool = UnpooledDataSource.at(url, pool).getConnection();
                Connection besideOpaque = UnpooledDataSource.at(url, new DriverManagerDataSource())
                        .getConnection()) {
            assertThat(besidePool.getMetaData().getUserName()).isEqualTo(database.application());
            assertThat(besideOpaque.getMetaData().getUserName()).isEqualTo(database.application());
        }
    }

    @Test
    void followsThePasswordOfThePool() throws SQLException {
        DriverManagerDataSource dataSource =
                new DriverManagerDataSource(database.jdbcUrl(), database.username(), "rotated");
        DataSource unpooled = UnpooledDataSource.behind(dataSource).orElseThrow();

        dataSource.setPassword(database.password());

        try (Connection connection = unpooled.getConnection()) {
            assertThat(connection.isWrapperFor(PGConnection.class)).isTrue();
        }
    }

    @Test
    void asksTheProviderForFreshCredentials() throws SQLException {
        AtomicInteger issued = new AtomicInteger();
        try (HikariDataSource pool = new HikariDataSource()) {
            pool.setJdbcUrl(database.jdbcUrl());
            pool.setCredentialsProvider(() ->
                    new Credentials(database.username(), issued.incrementAndGet() > 0 ? database.password() : ""));
            assertOpens(pool);
            assertOpens(pool);
            assertThat(issued).hasValue(2);

            pool.setCredentialsProvider(() -> {
                throw new IllegalStateException("no token");
            });
            assertThatThrownBy(() -> assertOpens(pool))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("credentials provider")
                    .hasRootCauseMessage("no token");
        }
    }

    @Test
    void knowsNothingOfDataSourcesWithoutUrl() {
        assertThat(UnpooledDataSource.behind(new AbstractDataSource() {
                    @Override
                    public Connection getConnection() throws SQLException {
                        return database.dataSource().getConnection();
                    }

                    @Override
                    public Connection getConnection(String username, String password) throws SQLException {
                        return getConnection();
                    }
                }))
                .isEmpty();
    }

    private HikariDataSource pool() {
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(database.jdbcUrl());
        pool.setUsername(database.username());
        pool.setPassword(database.password());
        pool.setMaximumPoolSize(1);
        return pool;
    }

    private static void assertOpens(DataSource pool) throws SQLException {
        DataSource unpooled = UnpooledDataSource.behind(pool).orElseThrow();
        try (Connection connection = unpooled.getConnection()) {
            assertThat(connection).isInstanceOf(PGConnection.class);
        }
    }
}
