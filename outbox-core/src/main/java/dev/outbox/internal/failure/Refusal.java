package dev.outbox.internal.failure;

import java.sql.SQLException;
import java.util.Set;

/**
 * Rows that PostgreSQL does not accept. Classes of its error codes: 22, data exception; 23, integrity constraint violation; 54, program
 * limit exceeded; P0, an exception that a trigger raised.
 */
public final class Refusal {

    /** Error code of a delivery whose outcome PostgreSQL refused. */
    public static final String CODE = "SETTLEMENT_REFUSED";

    private static final Set<String> CLASSES = Set.of("22", "23", "54", "P0");

    private Refusal() {}

    /** Returns whether PostgreSQL refused a row. */
    public static boolean isRefusal(SQLException ex) {
        String state = ex.getSQLState();
        return state != null && state.length() > 2 && CLASSES.contains(state.substring(0, 2));
    }

    /** Returns the failure to store with the delivery. */
    public static Failure failure(SQLException ex) {
        return new Failure(CODE, "handled, but PostgreSQL refused to store the outcome: " + Redaction.message(ex));
    }
}
