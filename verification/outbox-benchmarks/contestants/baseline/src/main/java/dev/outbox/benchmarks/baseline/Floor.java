package dev.outbox.benchmarks.baseline;

import dev.outbox.benchmarks.worker.AccountChanged;
import dev.outbox.benchmarks.worker.Contestant;
import dev.outbox.benchmarks.worker.Setup;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * Least work that any outbox does: stores an event with one INSERT into a table with one index; reads a batch, handles
 * it and moves it to history, on one thread and without claims. Only one process can drain a database, and a failing
 * handler stops it.
 */
public final class Floor extends Contestant {

    private static final int BATCH = 500;

    private static final String CREATE = """
            CREATE TABLE IF NOT EXISTS event (
                id         bigserial   NOT NULL PRIMARY KEY,
                account    integer     NOT NULL,
                payload    text        NOT NULL,
                created_at timestamptz NOT NULL DEFAULT now()
            );
            CREATE TABLE IF NOT EXISTS history (
                id         bigint      NOT NULL PRIMARY KEY,
                account    integer     NOT NULL,
                payload    text        NOT NULL,
                created_at timestamptz NOT NULL
            );
            """;

    private static final String INSERT = """
            INSERT INTO event (account, payload)
            VALUES (?, ?)
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

    private final JdbcTemplate jdbc;
    private final Thread thread = new Thread(this::drain, "move");
    private volatile boolean closing;

    /** Creates the tables. */
    public Floor(Setup setup) {
        super(setup, Service.class, Map.of());
        this.jdbc = bean(JdbcTemplate.class);
        jdbc.execute(CREATE);
    }

    @Override
    public void publish(AccountChanged event) {
        jdbc.update(INSERT, event.key(), Payload.write(event));
    }

    @Override
    public void publishAll(List<AccountChanged> events) {
        jdbc.batchUpdate(INSERT, events, events.size(), (insert, event) -> {
            insert.setInt(1, event.key());
            insert.setString(2, Payload.write(event));
        });
    }

    @Override
    public void start() {
        thread.start();
    }

    private void drain() {
        try (Connection connection = bean(DataSource.class).getConnection();
                Statement statement = connection.createStatement();
                PreparedStatement read = connection.prepareStatement(READ);
                PreparedStatement move = connection.prepareStatement(MOVE)) {
            statement.execute("SET synchronous_commit = off");
            connection.setAutoCommit(false);
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
            setup.handling().handle(event);
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
        super.close();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Service {}
}
