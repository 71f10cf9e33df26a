package dev.outbox.chaos.fleet;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** The database of a run, by connections that no proxy disturbs. */
public final class Database {

    private final DataSource dataSource;

    Database(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** Opens a connection; the caller closes it. */
    public Connection connect() throws SQLException {
        return dataSource.getConnection();
    }

    /** The database as a data source that pools nothing. */
    public DataSource dataSource() {
        return dataSource;
    }

    /** Runs SQL that returns one number. */
    public long number(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getLong(1);
        }
    }

    /** Runs SQL. */
    public void execute(String sql) throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
