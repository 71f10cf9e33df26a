package dev.outbox.benchmarks.baseline;

import com.zaxxer.hikari.HikariDataSource;
import dev.outbox.benchmarks.worker.AccountChanged;
import dev.outbox.benchmarks.worker.Contestant;
import dev.outbox.benchmarks.worker.JdbcTransactions;
import dev.outbox.benchmarks.worker.Setup;
import dev.outbox.benchmarks.worker.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Floor of draining: reads a batch, handles it and moves it to history, on one thread and without claims. Only one
 * process can run it per database, and a failing handler stops it.
 */
public final class MoveFloor implements Contestant {

    private static final int BATCH = 500;

    private static final String HISTORY = """
            CREATE TABLE IF NOT EXISTS history (
                id         bigint      NOT NULL PRIMARY KEY,
                account    integer     NOT NULL,
                payload    text        NOT NULL,
                created_at timestamptz NOT NULL
            )
            """;

    /** Relies on the primary key. */
    private static final String READ = """
            SELECT id, payload
              FROM event
             WHERE id > ?
             ORDER BY id
             LIMIT ?
            """;

    /** Relies on the primary key. */
    private static final String MOVE = """
            WITH moved AS (
                DELETE FROM event
                 WHERE id BETWEEN ? AND ?
                RETURNING id, account, payload, created_at
            )
            INSERT INTO history (id, account, payload, created_at)
            SELECT id, account, payload, created_at
              FROM moved
            """;

    private final Setup setup;
    private final HikariDataSource pool;
    private final Thread thread = new Thread(this::drain, "move");
    private volatile boolean closing;

    /** Creates the tables. */
    public MoveFloor(Setup setup) {
        this.setup = setup;
        this.pool = Pool.open(setup);
        Pool.execute(pool, InsertFloor.CREATE);
        Pool.execute(pool, HISTORY);
    }

    @Override
    public Map<String, String> settings() {
        return Map.of("batch", Integer.toString(BATCH), "synchronous_commit of the move", "off");
    }

    @Override
    public Transactions transactions() {
        return new JdbcTransactions(pool);
    }

    @Override
    public void publish(Connection connection, AccountChanged event) throws SQLException {
        InsertFloor.insert(connection, InsertFloor.INSERT, event);
    }

    @Override
    public void publishAll(Connection connection, List<AccountChanged> events) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(InsertFloor.INSERT)) {
            for (AccountChanged event : events) {
                insert.setInt(1, event.key());
                insert.setString(2, Payload.write(event));
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    @Override
    public void start() {
        thread.start();
    }

    private void drain() {
        try (Connection connection = pool.getConnection();
                PreparedStatement read = connection.prepareStatement(READ);
                PreparedStatement move = connection.prepareStatement(MOVE)) {
            connection.createStatement().execute("SET synchronous_commit = off");
            long last = 0;
            while (!closing) {
                last = moveBatch(read, move, last);
                connection.commit();
            }
        } catch (SQLException ex) {
            if (!closing) {
                throw new IllegalStateException(ex);
            }
        }
    }

    private long moveBatch(PreparedStatement read, PreparedStatement move, long last) throws SQLException {
        List<AccountChanged> events = new ArrayList<>(BATCH);
        long first = 0;
        long end = last;
        read.setLong(1, last);
        read.setInt(2, BATCH);
        try (ResultSet row = read.executeQuery()) {
            while (row.next()) {
                end = row.getLong(1);
                first = first == 0 ? end : first;
                events.add(Payload.read(row.getString(2)));
            }
        }
        for (AccountChanged event : events) {
            for (int handler = 0; handler < setup.role().handlers(); handler++) {
                setup.handling().handle(handler, event);
            }
        }
        if (!events.isEmpty()) {
            move.setLong(1, first);
            move.setLong(2, end);
            move.executeUpdate();
        }
        return end;
    }

    @Override
    public String pending() {
        return "SELECT count(*) FROM event";
    }

    @Override
    public void close() {
        closing = true;
        pool.close();
    }
}
