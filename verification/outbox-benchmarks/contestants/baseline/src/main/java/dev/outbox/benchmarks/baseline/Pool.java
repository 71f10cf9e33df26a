package dev.outbox.benchmarks.baseline;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.outbox.benchmarks.worker.Setup;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/** Connection pool of a floor, without auto-commit. */
final class Pool {

    private Pool() {}

    static HikariDataSource open(Setup setup) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(setup.database().url());
        config.setUsername(setup.database().user());
        config.setPassword(setup.database().password());
        config.setMaximumPoolSize(setup.database().pool());
        config.setAutoCommit(false);
        return new HikariDataSource(config);
    }

    static void execute(HikariDataSource pool, String sql) {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
            connection.commit();
        } catch (SQLException ex) {
            throw new IllegalStateException("refused: " + sql, ex);
        }
    }
}
