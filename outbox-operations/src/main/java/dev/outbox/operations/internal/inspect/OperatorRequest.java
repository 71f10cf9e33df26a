package dev.outbox.operations.internal.inspect;

import dev.outbox.internal.audit.AuditInfo;
import dev.outbox.internal.failure.Causes;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.InvalidOperationException.Reason;
import java.sql.SQLException;

/** Checks what an operator asks for before any SQL runs, runs the statements, and translates their failures. Selections check themselves. */
public final class OperatorRequest {

    private static final int LONGEST_NAME = 255;
    private static final int LONGEST_REASON = 2000;

    private static final String REMEDY =
            "grant the role of the application what dev/outbox/grants.sql gives to a worker, or"
                    + " to a reader if it only finds and counts";

    /** Remedy for a role that may not erase. */
    public static final String GRANT_ERASURE =
            "grant the role of the application what dev/outbox/grants.sql gives to a worker and to an eraser";

    private OperatorRequest() {}

    /** For a change of deliveries. */
    public static AuditInfo check(DeliverySelection selection, String by, String reason) {
        DeliverySelection.Place after = selection.range().after();
        DeliverySelection all = DeliverySelection.all();
        if (selection.equals(after == null ? all : all.after(after.id(), after.handlerId()))) {
            throw new InvalidOperationException("the selection has no filter, so it selects every delivery;"
                    + " filter at least by handler, stream or status");
        }
        return check(by, reason);
    }

    /** For a change of a handler or stream. */
    public static AuditInfo check(String what, String name, String by, String reason) {
        checkName(what, name);
        return check(by, reason);
    }

    public static AuditInfo check(String by, String reason) {
        checkOperator(by);
        InvalidOperationException.checkText("the reason", reason, LONGEST_REASON);
        return new AuditInfo(by, reason);
    }

    public static void checkOperator(String by) {
        checkName("the name of the operator", by);
        if (by.chars().anyMatch(Character::isISOControl)) {
            throw new InvalidOperationException("the name of the operator must not contain control characters");
        }
    }

    public static void checkName(String what, String name) {
        InvalidOperationException.checkText(what, name, LONGEST_NAME);
    }

    public static void check(int limit) {
        if (limit < 1) {
            throw new InvalidOperationException("the limit must be at least 1: " + limit);
        }
    }

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
                if (Causes.isTooLong(ex)) {
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
        return run(task, REMEDY, work);
    }

    /** Runs statements that need more than the usual grants. */
    public static <T> T run(String task, String remedy, Work<T> work) {
        try {
            return work.run();
        } catch (SQLException ex) {
            throw Causes.translated(task, remedy, ex);
        }
    }
}
