package dev.outbox.internal.failure;

import java.sql.SQLException;
import java.util.Set;

/**
 * Failures of named prepared statements behind a pooler that runs each transaction in another session. Of PostgreSQL's error codes: 26000,
 * a statement that does not exist; 42P05, one that exists already; 08P01, one that takes other parameters.
 */
public final class SharedSessions {

    private static final Set<String> STATES = Set.of("26000", "42P05", "08P01");

    private static final String REMEDY =
            "; a pooler in transaction mode, such as PgBouncer, probably serves the DataSource: add prepareThreshold=0 to its JDBC URL";

    private SharedSessions() {}

    /** Returns whether a statement failed because its session was another one than when it was prepared. */
    private static boolean isLostStatement(SQLException ex) {
        String message = ex.getMessage();
        return message != null && STATES.contains(ex.getSQLState()) && message.contains("prepared statement");
    }

    /** Returns the exception, with the setting that avoids it if it is such a failure. */
    public static SQLException explained(SQLException ex) {
        if (!isLostStatement(ex)) {
            return ex;
        }
        SQLException explained = new SQLException(ex.getMessage() + REMEDY, ex.getSQLState(), ex.getErrorCode(), ex);
        explained.setStackTrace(ex.getStackTrace());
        return explained;
    }
}
