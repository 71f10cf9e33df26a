package dev.outbox.internal.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Connection that a transaction manager has bound to the calling thread for a {@code DataSource}. */
public final class BoundConnection {

    private static final Logger log = LoggerFactory.getLogger(BoundConnection.class);

    /** A commit may write what an entity manager has kept, and wait for a standby. */
    private static final Duration LONGEST_END = Duration.ofMinutes(1);

    private final DataSource dataSource;

    /** Looks up the connection of the thread that calls. */
    public BoundConnection(DataSource dataSource) {
        this.dataSource = behindProxy(dataSource);
    }

    /** Returns the DataSource to which transaction managers bind, and which opens connections outside transactions. */
    public static DataSource behindProxy(DataSource dataSource) {
        DataSource target =
                dataSource instanceof TransactionAwareDataSourceProxy proxy ? proxy.getTargetDataSource() : null;
        return target != null ? target : dataSource;
    }

    /** Returns whether the transaction of the calling thread works on this DataSource. */
    public boolean exists() {
        return TransactionSynchronizationManager.hasResource(dataSource);
    }

    /** Takes the connection, which must exist: otherwise the work would be committed on its own. */
    public Held hold() {
        return new Held(DataSourceUtils.getConnection(dataSource), dataSource, null);
    }

    /** Takes the connection, which must exist, for a statement that waits no longer than {@link NetworkTimeout#DEFAULT}. */
    public Held holdLimited() throws SQLException {
        Held held = hold();
        try {
            return new Held(
                    held.connection(), dataSource, NetworkTimeout.on(held.connection(), NetworkTimeout.DEFAULT));
        } catch (SQLException | RuntimeException ex) {
            held.close();
            throw ex;
        }
    }

    /** Limits each wait on the connection until the transaction has ended, its commit or rollback included. */
    public void limitUntilCompletion() {
        if (!exists() || !TransactionSynchronizationManager.isSynchronizationActive()) {
            return;
        }
        try (Held held = hold()) {
            NetworkTimeout timeout = NetworkTimeout.on(held.connection(), LONGEST_END);
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    timeout.close();
                }
            });
        } catch (SQLException ex) {
            log.debug("The connection is broken; the next statement on it fails", ex);
        }
    }

    /** The connection, until the work on it is done. */
    public record Held(
            Connection connection,
            DataSource dataSource,
            @Nullable NetworkTimeout timeout) implements AutoCloseable {

        @Override
        public void close() {
            if (timeout != null) {
                timeout.close();
            }
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }
}
