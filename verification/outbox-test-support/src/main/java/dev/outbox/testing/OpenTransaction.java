package dev.outbox.testing;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Transaction of another session, which a test leaves open. Closing it rolls it back. */
public final class OpenTransaction implements AutoCloseable {

    private final Connection connection;

    private OpenTransaction(Connection connection) {
        this.connection = connection;
    }

    public static OpenTransaction of(DataSource dataSource) throws SQLException {
        Connection connection = dataSource.getConnection();
        connection.setAutoCommit(false);
        return new OpenTransaction(connection);
    }

    public OpenTransaction run(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
        return this;
    }

    public void commit() throws SQLException {
        connection.commit();
    }

    public void rollback() throws SQLException {
        connection.rollback();
    }

    @Override
    public void close() throws SQLException {
        try (connection) {
            connection.rollback();
        }
    }
}
