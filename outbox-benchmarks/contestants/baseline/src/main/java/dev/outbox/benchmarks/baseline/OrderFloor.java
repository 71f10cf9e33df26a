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

/**
 * The least that stores events whose order is that of the commits: a counter for each account, whose row stays locked until the
 * transaction ends, and a table with two indexes, the second of which says that no number is given twice.
 */
public final class OrderFloor implements Contestant {

    private static final String CREATE = """
            CREATE TABLE IF NOT EXISTS event (
                id         bigserial   NOT NULL PRIMARY KEY,
                account    integer     NOT NULL,
                seq        bigint      NOT NULL,
                payload    text        NOT NULL,
                created_at timestamptz NOT NULL DEFAULT now(),
                UNIQUE (account, seq)
            );
            CREATE TABLE IF NOT EXISTS counter (
                account  integer NOT NULL PRIMARY KEY,
                last_seq bigint  NOT NULL
            ) WITH (fillfactor = 70);
            """;

    /** Relies on the primary key of the counter. */
    private static final String INSERT = """
            WITH numbered AS (
                INSERT INTO counter AS c (account, last_seq)
                VALUES (?, 1)
                ON CONFLICT (account) DO UPDATE SET last_seq = c.last_seq + 1
                RETURNING account, last_seq
            )
            INSERT INTO event (account, seq, payload)
            SELECT account, last_seq, ?
              FROM numbered
            """;

    private final HikariDataSource pool;

    /**
     * Creates the tables.
     *
     * @param setup what to run with
     */
    public OrderFloor(Setup setup) {
        this.pool = Pool.open(setup);
        Pool.execute(pool, CREATE);
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
        try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
            insert.setInt(1, event.key());
            insert.setString(2, Payload.write(event));
            insert.executeUpdate();
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
