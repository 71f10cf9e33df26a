package dev.outbox.benchmarks.baseline;

import com.zaxxer.hikari.HikariDataSource;
import dev.outbox.benchmarks.worker.AccountChanged;
import dev.outbox.benchmarks.worker.Contestant;
import dev.outbox.benchmarks.worker.JdbcTransactions;
import dev.outbox.benchmarks.worker.Setup;
import dev.outbox.benchmarks.worker.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Map;

/** Floor of storing an event with the domain change: one INSERT into a table with one index. */
public class InsertFloor implements Contestant {

    static final String CREATE = """
            CREATE TABLE IF NOT EXISTS event (
                id         bigserial   NOT NULL PRIMARY KEY,
                account    integer     NOT NULL,
                payload    text        NOT NULL,
                created_at timestamptz NOT NULL DEFAULT now()
            )
            """;

    static final String INSERT = """
            INSERT INTO event (account, payload)
            VALUES (?, ?)
            """;

    private final HikariDataSource pool;
    private final String insert;

    /** Creates the table. */
    public InsertFloor(Setup setup) {
        this(setup, CREATE, INSERT);
    }

    /** Uses another table, whose INSERT takes the account and the payload too. */
    InsertFloor(Setup setup, String create, String insert) {
        this.pool = Pool.open(setup);
        this.insert = insert;
        Pool.execute(pool, create);
    }

    @Override
    public Map<String, String> settings() {
        return Map.of();
    }

    @Override
    public Transactions transactions() {
        return new JdbcTransactions(pool);
    }

    @Override
    public void publish(Connection connection, AccountChanged event) throws SQLException {
        insert(connection, insert, event);
    }

    static void insert(Connection connection, String insert, AccountChanged event) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(insert)) {
            statement.setInt(1, event.key());
            statement.setString(2, Payload.write(event));
            statement.executeUpdate();
        }
    }

    @Override
    public void start() {}

    @Override
    public String pending() {
        return "SELECT count(*) FROM event";
    }

    @Override
    public void close() {
        pool.close();
    }
}
