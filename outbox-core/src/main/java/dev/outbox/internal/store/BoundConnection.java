package dev.outbox.internal.store;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The connection of the calling thread's transaction, as its transaction manager has bound it to a {@code DataSource}. */
public final class BoundConnection {

    private final DataSource dataSource;

    /** Creates a view of whatever transaction the calling thread is in. */
    public BoundConnection(DataSource dataSource) {
        this.dataSource = behindProxy(dataSource);
    }

    /** What a transaction manager binds the connection to, and what gives a connection that no transaction has. */
    static DataSource behindProxy(DataSource dataSource) {
        DataSource target =
                dataSource instanceof TransactionAwareDataSourceProxy proxy ? proxy.getTargetDataSource() : null;
        return target != null ? target : dataSource;
    }

    /** Says whether the transaction of the calling thread works on this DataSource. */
    public boolean exists() {
        return TransactionSynchronizationManager.hasResource(dataSource);
    }

    /** Works on the connection. To be called only if it exists: otherwise the work would be committed on its own. */
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
