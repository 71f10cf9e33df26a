package dev.outbox.internal.sql;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Limits how long statements of the outbox wait for an answer: a read on a connection whose peer has disappeared would never end. A shorter
 * limit of the connection stays. Takes no round trip.
 */
public final class NetworkTimeout implements AutoCloseable {

    /** Longer than the statement timeout, so that the server normally gives up first and the connection survives. */
    public static final Duration DEFAULT = Duration.ofSeconds(15);

    /**
     * Expression of a statement after which the server asks, until the end of the transaction, whether the client's computer is still there: it
     * would keep the transaction of one that disappeared, and its locks, for two hours. Needs a server on Linux, and does nothing elsewhere.
     */
    public static final String OF_SERVER = """
            CASE WHEN version() LIKE '%linux%'
                 THEN set_config('tcp_keepalives_idle', '10', true) || set_config('tcp_keepalives_interval', '2', true)
                      || set_config('tcp_keepalives_count', '3', true) END""";

    private static final Logger log = LoggerFactory.getLogger(NetworkTimeout.class);
    private static final AtomicBoolean warned = new AtomicBoolean();

    private final Connection connection;
    private final @Nullable Integer before;

    private NetworkTimeout(Connection connection, @Nullable Integer before) {
        this.connection = connection;
        this.before = before;
    }

    /** Limits each wait on a connection until the result is closed. */
    public static NetworkTimeout on(Connection connection, Duration limit) throws SQLException {
        return new NetworkTimeout(connection, set(connection, Math.toIntExact(limit.toMillis())));
    }

    /** Returns the limit to restore; null if nothing was set. */
    private static @Nullable Integer set(Connection connection, int millis) throws SQLException {
        try {
            int before = connection.getNetworkTimeout();
            if (before > 0 && before <= millis) {
                return null;
            }
            connection.setNetworkTimeout(Runnable::run, millis);
            return before;
        } catch (SQLFeatureNotSupportedException | AbstractMethodError ex) {
            if (warned.compareAndSet(false, true)) {
                log.warn(
                        "The connections of the outbox support no network timeout ({}): a statement on a connection that dies silently"
                                + " never ends, and its stream stands still. Set a socket timeout in the JDBC URL, such as socketTimeout=30",
                        connection.getClass().getName(),
                        ex);
            }
            return null;
        }
    }

    public Connection connection() {
        return connection;
    }

    /** Restores the limit of the connection. A broken connection has none, and its failure is that of the statement. */
    @Override
    public void close() {
        if (before == null) {
            return;
        }
        try {
            connection.setNetworkTimeout(Runnable::run, before);
        } catch (SQLException ex) {
            log.debug("The network timeout of a connection could not be restored", ex);
        }
    }
}
