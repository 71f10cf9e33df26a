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
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** Floor of latency: from a commit to its NOTIFY in a listening session. Stores nothing. */
public final class NotifyFloor implements Contestant {

    private static final String NOTIFY = "SELECT pg_notify('event', ?)";

    private static final int LOOK_UP_MILLIS = 500;

    private final Setup setup;
    private final HikariDataSource pool;
    private final Thread thread = new Thread(this::listen, "listen");
    private volatile boolean closing;

    /** Opens the pool. */
    public NotifyFloor(Setup setup) {
        this.setup = setup;
        this.pool = Pool.open(setup);
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
        try (PreparedStatement notify = connection.prepareStatement(NOTIFY)) {
            notify.setString(1, Payload.write(event));
            notify.execute();
        }
    }

    @Override
    public void start() {
        if (setup.role().delivers()) {
            thread.start();
        }
    }

    private void listen() {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(true);
            connection.createStatement().execute("LISTEN event");
            PGConnection session = connection.unwrap(PGConnection.class);
            while (!closing) {
                PGNotification[] notifications = session.getNotifications(LOOK_UP_MILLIS);
                for (PGNotification notification : notifications == null ? new PGNotification[0] : notifications) {
                    setup.handling().handle(0, Payload.read(notification.getParameter()));
                }
            }
        } catch (SQLException ex) {
            if (!closing) {
                throw new IllegalStateException(ex);
            }
        }
    }

    @Override
    public String pending() {
        return "SELECT 0";
    }

    @Override
    public void close() {
        closing = true;
        pool.close();
    }
}
