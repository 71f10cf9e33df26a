package dev.outbox.benchmarks.worker;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** Domain: accounts, of which every transaction changes one. */
final class Accounts {

    private static final String CREATE = """
            CREATE TABLE account (
                id         integer     NOT NULL PRIMARY KEY,
                version    bigint      NOT NULL DEFAULT 0,
                changed_at timestamptz NOT NULL DEFAULT now()
            ) WITH (fillfactor = 50)
            """;

    private static final String FILL = """
            INSERT INTO account (id)
            SELECT generate_series(0, ? - 1)
            """;

    /** Relies on the primary key. */
    private static final String CHANGE = """
            UPDATE account
               SET version = version + 1,
                   changed_at = clock_timestamp()
             WHERE id = ?
            RETURNING version
            """;

    private Accounts() {}

    static void create(Connection connection, int accounts) throws SQLException {
        try (PreparedStatement create = connection.prepareStatement(CREATE)) {
            create.execute();
        }
        try (PreparedStatement fill = connection.prepareStatement(FILL)) {
            fill.setInt(1, accounts);
            fill.executeUpdate();
        }
    }

    /**
     * Changes an account and returns its version, which follows the commit order because the row stays locked until
     * commit.
     */
    static long change(Connection connection, int account) throws SQLException {
        try (PreparedStatement change = connection.prepareStatement(CHANGE)) {
            change.setInt(1, account);
            try (ResultSet row = change.executeQuery()) {
                if (!row.next()) {
                    throw new SQLException("there is no account " + account);
                }
                return row.getLong(1);
            }
        }
    }
}
