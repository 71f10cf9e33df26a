package dev.outbox.internal.sql;

import java.sql.Connection;
import java.sql.SQLException;
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
    static DataSource behindProxy(DataSource dataSource) {
        DataSource target =
                dataSource instanceof TransactionAwareDataSourceProxy proxy ? proxy.getTargetDataSource() : null;
        return target != null ? target : dataSource;
    }

    /** Returns whether the transaction of the calling thread works on this DataSource. */
    public boolean exists() {
        return TransactionSynchronizationManager.hasResource(dataSource);
    }

    /** Works on the connection, which must exist: otherwise the work would be committed on its own. */
    public <T> T call(Work<T> work) throws SQLException {
        Connection connection = DataSourceUtils.getConnection(dataSource);
        try {
            return work.apply(connection);
        } finally {
            DataSourceUtils.releaseConnection(connection, dataSource);
        }
    }

    /** Work on a connection. */
    @FunctionalInterface
    public interface Work<T> {

        /** Does the work. */
        T apply(Connection connection) throws SQLException;
    }
}
