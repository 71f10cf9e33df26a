package dev.outbox.internal.failure;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;

/**
 * Tells failures of an event from failures of the database, or of the pool of connections to it. The SQL states are those of PostgreSQL's
 * error code table: class 08 is a connection that could not be made or broke, class 53 a server without resources, 57P01 to 57P03 one
 * that shuts down or starts up.
 */
public final class ConnectionFailures {

    private static final Set<String> CLASSES = Set.of("08", "53");
    private static final Set<String> STATES = Set.of("57P01", "57P02", "57P03");

    private ConnectionFailures() {}

    public static boolean isBehind(Throwable ex) {
        return Causes.anyMatch(ex, ConnectionFailures::is);
    }

    private static boolean is(Throwable ex) {
        if (ex instanceof SQLTransientConnectionException
                || ex instanceof SQLNonTransientConnectionException
                || ex instanceof SQLRecoverableException) {
            return true;
        }
        String state = ex instanceof SQLException sql ? sql.getSQLState() : null;
        return state != null
                && (STATES.contains(state) || CLASSES.contains(state.substring(0, Math.min(2, state.length()))));
    }
}
