package dev.outbox.internal.failure;

import java.sql.SQLException;
import java.util.Set;

/**
 * Outcomes that cannot be stored, because PostgreSQL does not accept them or the client cannot send them. All failures count but those of
 * the environment, which concern every event. Of PostgreSQL's error codes, these are: 08, 53, 57 and 58, connection and server; 0A, 26 and
 * 42, schema, privileges and prepared statements; 25, 40 and 55, state of the transaction; 28, 3D and 3F, login, database and schema.
 */
public final class Refusal {

    /** Error code of a delivery whose outcome was refused. */
    public static final String CODE = "SETTLEMENT_REFUSED";

    private static final Set<String> ENVIRONMENT =
            Set.of("08", "0A", "25", "26", "28", "3D", "3F", "40", "42", "53", "55", "57", "58");

    private Refusal() {}

    /** Returns whether an outcome was refused. */
    public static boolean isRefusal(Throwable ex) {
        if (!(ex instanceof SQLException sql)) {
            return !(ex instanceof VirtualMachineError) && !ConnectionFailures.isCausedBy(ex);
        }
        String state = sql.getSQLState();
        return state != null && state.length() > 2 && !ENVIRONMENT.contains(state.substring(0, 2));
    }

    /** Returns the failure to store with the delivery. */
    public static Failure failure(Throwable ex) {
        String refusal =
                ex instanceof SQLException ? "PostgreSQL refused to store the outcome" : "the outcome cannot be stored";
        return new Failure(CODE, "handled, but " + refusal + ": " + Redaction.message(ex));
    }
}
