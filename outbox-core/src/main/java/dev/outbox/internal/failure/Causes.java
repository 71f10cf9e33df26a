package dev.outbox.internal.failure;

import dev.outbox.OutboxConfigurationException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.support.SQLStateSQLExceptionTranslator;

/** Finds out why something failed, by the causes of an exception and by PostgreSQL's error codes. */
public final class Causes {

    private static final int DEEPEST = 20;

    /** A failed connection, or a server without resources; and a server that shuts down or starts. */
    private static final Set<String> OUTAGE_CLASSES = Set.of("08", "53");

    private static final Set<String> OUTAGES = Set.of("57P01", "57P02", "57P03");

    /** A login that fails, and a database that does not exist: the server refuses the connection. */
    private static final Set<String> REFUSED_CLASSES = Set.of("28", "3D");

    /**
     * 08, 53, 57 and 58, connection and server; 0A, 26 and 42, schema, privileges and prepared statements; 25, 40 and 55, state of the
     * transaction; 28, 3D and 3F, login, database and schema.
     */
    private static final Set<String> ENVIRONMENT =
            Set.of("08", "0A", "25", "26", "28", "3D", "3F", "40", "42", "53", "55", "57", "58");

    private static final String TOO_MANY_CONNECTIONS = "53300";

    private static final String OUT_OF_MEMORY = "53200";

    /** The server ends a statement that takes longer than the statement timeout. */
    private static final String QUERY_CANCELED = "57014";

    private static final String INSUFFICIENT_PRIVILEGE = "42501";

    /** Of a prepared statement: it does not exist, exists already, or takes other parameters. */
    private static final Set<String> LOST_STATEMENTS = Set.of("26000", "42P05", "08P01");

    private static final String REMEDY_FOR_POOLER =
            "; a pooler in transaction mode, such as PgBouncer, probably serves the DataSource: add prepareThreshold=0 to its JDBC URL";

    private static final String REMEDY_FOR_FORMAT =
            "; the JDBC URL of the DataSource probably has prepareThreshold=-1: remove it";

    private Causes() {}

    /** Searches an exception and its causes, up to the first whose own methods throw. */
    public static boolean anyMatch(Throwable ex, Predicate<Throwable> predicate) {
        try {
            @Nullable Throwable cause = ex;
            for (int depth = 0; cause != null && depth < DEEPEST; depth++) {
                if (predicate.test(cause)) {
                    return true;
                }
                cause = cause.getCause();
            }
            return false;
        } catch (Throwable broken) {
            return false;
        }
    }

    /**
     * Returns a cause for failed attempts that the handler reports itself, once for all of them: the dispatcher logs them at DEBUG only, and
     * they do not open the circuit.
     */
    public static RuntimeException selfReported() {
        return new SelfReported(false, null);
    }

    /** Returns a cause like {@link #selfReported()} for attempts that nothing works for, so that they open the circuit. */
    public static RuntimeException selfReportedOutage(@Nullable Throwable cause) {
        return new SelfReported(true, cause);
    }

    /** Returns whether the handler reports the failed attempt itself. */
    public static boolean isSelfReported(Throwable ex) {
        return anyMatch(ex, (cause) -> cause instanceof SelfReported);
    }

    /** Returns whether a failed attempt counts for the circuit of its handler. */
    public static boolean opensCircuit(Throwable ex) {
        return !anyMatch(ex, (cause) -> cause instanceof SelfReported reported && !reported.opensCircuit);
    }

    /** Returns whether the database or its connection pool failed, which an event did not cause. */
    public static boolean isOutage(Throwable ex) {
        return anyMatch(ex, Causes::isOutageItself);
    }

    /** Returns whether there is no connection to a database: it cannot be reached, refuses or has ended it, or the pool has none. */
    public static boolean isUnreachable(Throwable ex) {
        return anyMatch(ex, Causes::isUnreachableItself);
    }

    private static boolean isUnreachableItself(Throwable ex) {
        return (isOutageItself(ex) || REFUSED_CLASSES.contains(stateClass(ex)))
                && !(ex instanceof SQLException sql && (isShortOfResources(sql) || remedy(sql) != null));
    }

    private static boolean isShortOfResources(SQLException ex) {
        String state = ex.getSQLState();
        return state != null && state.startsWith("53") && !TOO_MANY_CONNECTIONS.equals(state);
    }

    /** Returns the message of the innermost exception of a database, and otherwise that of the exception, without secrets. */
    public static String reason(Throwable ex) {
        return Redaction.message(innermost(ex));
    }

    /**
     * Returns the SQLState with which a server that answers refuses a connection. It is empty for a server that is away, ends or starts, which
     * has many states, and for a pool that has waited for a connection.
     */
    public static String refusal(Throwable ex) {
        Throwable reason = innermost(ex);
        String state = reason instanceof SQLException sql ? sql.getSQLState() : null;
        return state == null || OUTAGES.contains(state) || state.startsWith("08") ? "" : state;
    }

    private static Throwable innermost(Throwable ex) {
        Throwable[] reason = {ex};
        anyMatch(ex, (cause) -> {
            if (cause instanceof SQLException) {
                reason[0] = cause;
            }
            return false;
        });
        return reason[0];
    }

    private static boolean isOutageItself(Throwable ex) {
        if (ex instanceof SQLTransientConnectionException
                || ex instanceof SQLNonTransientConnectionException
                || ex instanceof SQLRecoverableException) {
            return true;
        }
        return (ex instanceof SQLException sql && sql.getSQLState() != null && OUTAGES.contains(sql.getSQLState()))
                || OUTAGE_CLASSES.contains(stateClass(ex));
    }

    /** Returns the first two characters of the SQLState; empty without one. */
    private static String stateClass(Throwable ex) {
        String state = ex instanceof SQLException sql ? sql.getSQLState() : null;
        return state == null ? "" : state.substring(0, Math.min(2, state.length()));
    }

    /**
     * Returns whether an outcome cannot be stored, because PostgreSQL does not accept it or the client cannot send it. All failures count
     * but those of the environment, which concern every event.
     */
    public static boolean isRefusal(Throwable ex) {
        if (!(ex instanceof SQLException sql)) {
            return !(ex instanceof VirtualMachineError) && !isOutage(ex);
        }
        String state = sql.getSQLState();
        return state != null && state.length() > 2 && !ENVIRONMENT.contains(state.substring(0, 2));
    }

    /** Returns whether the result of a statement does not fit into the heap; pgjdbc reports that as an error of the server. */
    public static boolean isOutOfMemory(Throwable ex) {
        return anyMatch(
                ex,
                (cause) -> cause instanceof OutOfMemoryError
                        || (cause instanceof SQLException sql && OUT_OF_MEMORY.equals(sql.getSQLState())));
    }

    /** Returns whether rows could not be read for a cause that may lie in one of them: its size, or damage to it. */
    public static boolean isUnreadable(Throwable ex) {
        return isOutOfMemory(ex) || (isRefusal(ex) && !(ex instanceof OutboxConfigurationException));
    }

    /** Returns whether a statement took longer than the server allows. That is no refusal: the server may be slow, whatever the statement. */
    public static boolean isTooLong(Throwable ex) {
        return ex instanceof SQLException sql && QUERY_CANCELED.equals(sql.getSQLState());
    }

    /**
     * Returns the exception; with a remedy if a pooler that runs each transaction in another session lost a prepared statement, or if the driver
     * asks for results in a format that it has not prepared.
     */
    public static SQLException explained(SQLException ex) {
        String remedy = remedy(ex);
        if (remedy == null) {
            return ex;
        }
        SQLException explained = new SQLException(ex.getMessage() + remedy, ex.getSQLState(), ex.getErrorCode(), ex);
        explained.setStackTrace(ex.getStackTrace());
        return explained;
    }

    private static @Nullable String remedy(SQLException ex) {
        String message = ex.getMessage();
        String state = ex.getSQLState();
        if (message == null || state == null || !LOST_STATEMENTS.contains(state)) {
            return null;
        }
        if (message.contains("prepared statement")) {
            return REMEDY_FOR_POOLER;
        }
        return message.contains("result formats but query has") ? REMEDY_FOR_FORMAT : null;
    }

    /** Returns an unchecked exception for a failed statement. */
    public static RuntimeException translated(String task, String remedy, SQLException failure) {
        RuntimeException missing = missingPrivilege(task, remedy, failure);
        if (missing != null) {
            return missing;
        }
        DataAccessException translated = new SQLStateSQLExceptionTranslator().translate(task, null, failure);
        return translated != null ? translated : new UncategorizedSQLException(task, null, failure);
    }

    /** Returns the exception for a missing privilege; {@code null} if the failure has another cause. */
    public static @Nullable OutboxConfigurationException missingPrivilege(
            String task, String remedy, Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && INSUFFICIENT_PRIVILEGE.equals(sql.getSQLState())) {
                return new OutboxConfigurationException(
                        "the database refused to " + task + ": " + sql.getMessage(), remedy, failure);
            }
        }
        return null;
    }

    /** Without a stack trace, which no log shows. */
    private static final class SelfReported extends RuntimeException {

        private static final long serialVersionUID = 1;

        private final boolean opensCircuit;

        SelfReported(boolean opensCircuit, @Nullable Throwable cause) {
            super("the handler reports this itself", cause, false, false);
            this.opensCircuit = opensCircuit;
        }
    }
}
