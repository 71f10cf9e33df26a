package dev.outbox.repair;

import dev.outbox.DeliverySelection;
import java.sql.SQLException;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.support.SQLStateSQLExceptionTranslator;

/** Work on the database for an operator, whose failures are unchecked exceptions. */
final class DatabaseCall {

    private static final String QUERY_CANCELED = "57014";

    private DatabaseCall() {}

    /** Statements that an operation needs. */
    interface Work<T> {
        T run() throws SQLException;
    }

    /** For statements on a selection, which a timeout bounds. */
    static <T> T select(String task, DeliverySelection selection, Work<T> work) {
        return run(task, () -> {
            try {
                return work.run();
            } catch (SQLException ex) {
                if (QUERY_CANCELED.equals(ex.getSQLState())) {
                    throw OperationRules.tooBroad(task, selection, ex);
                }
                throw ex;
            }
        });
    }

    static <T> T run(String task, Work<T> work) {
        try {
            return work.run();
        } catch (SQLException ex) {
            DataAccessException translated = new SQLStateSQLExceptionTranslator().translate(task, null, ex);
            throw translated != null ? translated : new UncategorizedSQLException(task, null, ex);
        }
    }
}
