package dev.outbox.internal.sql;

import java.sql.Connection;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Connection that a transaction manager has bound to the calling thread for a {@code DataSource}. */
public final class BoundConnection {

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
        return new Held(DataSourceUtils.getConnection(dataSource), dataSource);
    }

    /** The connection, until the work on it is done. */
    public record Held(Connection connection, DataSource dataSource) implements AutoCloseable {

        @Override
        public void close() {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }
}
