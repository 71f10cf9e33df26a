package dev.outbox.internal.audit;

import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliverySelection.Range;
import dev.outbox.operations.InvalidOperationException;

/** Checks the requests of operators before any SQL runs; selections check themselves. */
public final class OperationRules {

    private static final int LONGEST_NAME = 255;
    private static final int LONGEST_REASON = 2000;

    private OperationRules() {}

    /** For a change of deliveries. */
    public static AuditInfo check(DeliverySelection selection, String by, String reason) {
        Range place = new Range(
                null, null, selection.range().after(), selection.range().upTo());
        if (selection.equals(new DeliverySelection(
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                DeliverySelection.all().statuses(),
                place))) {
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
}
