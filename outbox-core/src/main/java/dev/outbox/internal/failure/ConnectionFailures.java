package dev.outbox.internal.failure;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;

/**
 * Failures of the database or its connection pool, which an event did not cause. Of PostgreSQL's error codes: class 08, a failed
 * connection; class 53, a server without resources; 57P01 to 57P03, a server that shuts down or starts.
 */
public final class ConnectionFailures {

    private static final Set<String> CLASSES = Set.of("08", "53");
    private static final Set<String> STATES = Set.of("57P01", "57P02", "57P03");

    private ConnectionFailures() {}

    public static boolean isCausedBy(Throwable ex) {
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
