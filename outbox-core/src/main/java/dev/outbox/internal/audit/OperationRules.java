package dev.outbox.internal.audit;

import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.InvalidOperationException;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Checks the requests of operators before any SQL runs; selections check themselves. */
public final class OperationRules {

    private static final int LONGEST_NAME = 255;
    private static final int LONGEST_REASON = 2000;

    private OperationRules() {}

    /** For a change of deliveries. */
    public static AuditInfo check(DeliverySelection selection, String by, String reason) {
        if (selection.isUnrestricted()) {
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

    /** Describes the filters of a selection that is too broad, and how to narrow it. */
    static String filters(DeliverySelection selection) {
        return Stream.of(
                        filter("handler id", selection.handlerId()),
                        filter("aggregate type", selection.aggregateType()),
                        filter("aggregate id", selection.aggregateId()),
                        filter("event id", selection.eventId()),
                        filter("stream", selection.stream()),
                        filter("event type", selection.eventType()),
                        filter("error code", selection.errorCode()),
                        filter("created since", selection.created().since()),
                        filter("created before", selection.created().before()),
                        filter("statuses", selection.statuses()))
                .filter(Objects::nonNull)
                .collect(
                        Collectors.joining(
                                ", ",
                                " with {",
                                "}; add an event id, an aggregate with its type and id, or a stream with a handler id and a status"));
    }

    private static @Nullable String filter(String name, @Nullable Object value) {
        return value == null ? null : name + "=" + value;
    }
}
