package dev.outbox.internal.audit;

import dev.outbox.internal.failure.Causes;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.InvalidOperationException.Reason;
import java.sql.SQLException;

/** Runs statements for an operator, and translates their failures. */
public final class DatabaseCall {

    private static final String QUERY_CANCELED = "57014";
    private static final String REMEDY =
            "grant the role of the application what db/outbox/grants.sql gives to a worker, or"
                    + " to a reader if it only finds and counts";

    private DatabaseCall() {}

    /** Statements of an operation. */
    public interface Work<T> {
        T run() throws SQLException;
    }

    /** Runs statements on a selection, which a timeout bounds. */
    public static <T> T search(String task, Object selection, String remedy, Work<T> work) {
        return run(task, () -> {
            try {
                return work.run();
            } catch (SQLException ex) {
                if (QUERY_CANCELED.equals(ex.getSQLState())) {
                    throw new InvalidOperationException(
                            Reason.SELECTION_TOO_BROAD,
                            "the database needed longer than 5 s to " + task + " of " + selection + "; add " + remedy,
                            ex);
                }
                throw ex;
            }
        });
    }

    public static <T> T run(String task, Work<T> work) {
        try {
            return work.run();
        } catch (SQLException ex) {
            throw Causes.translated(task, REMEDY, ex);
        }
    }
}
