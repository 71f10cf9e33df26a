package dev.outbox.internal.operations;

import dev.outbox.internal.delivery.AuditInfo;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliverySelection.Span;
import dev.outbox.operations.EventSelection;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.OperationSelection;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Checks the requests of operators before any SQL runs. */
final class OperationRules {

    private static final int LONGEST_NAME = 255;
    private static final int LONGEST_REASON = 2000;
    private static final Instant FIRST_TIME = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant AFTER_LAST_TIME = Instant.parse("+10000-01-01T00:00:00Z");

    private OperationRules() {}

    static void check(DeliverySelection selection) {
        DeliverySelection.Lane lane = selection.lane();
        DeliverySelection.Events event = selection.event();
        checkOptional("handler id", lane.handlerId());
        checkOptional("aggregate type", lane.aggregateType());
        checkOptional("aggregate id", lane.aggregateId());
        checkOptional("stream", event.stream());
        checkOptional("event type", event.type());
        checkOptional("error code", event.errorCode());
        check(selection.created());
        if (selection.statuses().isEmpty()) {
            throw new InvalidOperationException("the selection allows no status, so it can find nothing");
        }
        if (selection.after() != null) {
            checkText(
                    "handler id of the delivery to start after",
                    selection.after().handlerId(),
                    LONGEST_NAME);
        }
        if (selection.upTo() != null) {
            checkText("handler id of the delivery to end with", selection.upTo().handlerId(), LONGEST_NAME);
        }
    }

    /** For a change of deliveries. */
    static AuditInfo check(DeliverySelection selection, String by, String reason) {
        check(selection);
        if (selection.isUnrestricted()) {
            throw new InvalidOperationException("the selection has no filter, so it selects every delivery;"
                    + " filter at least by handler, stream or status");
        }
        return check(by, reason);
    }

    /** For a change of a handler or stream. */
    static AuditInfo check(String what, String name, String by, String reason) {
        checkText(what, name, LONGEST_NAME);
        return check(by, reason);
    }

    static AuditInfo check(String by, String reason) {
        checkName(by);
        checkText("the reason", reason, LONGEST_REASON);
        return new AuditInfo(by, reason);
    }

    static void checkName(String by) {
        checkText("the name of the operator", by, LONGEST_NAME);
        if (by.chars().anyMatch(Character::isISOControl)) {
            throw new InvalidOperationException("the name of the operator must not contain control characters");
        }
    }

    /** Describes the filters of a selection that is too broad, and how to narrow it. */
    static String filters(DeliverySelection selection) {
        Map<String, Object> filters = new LinkedHashMap<>();
        filters.put("handler id", selection.lane().handlerId());
        filters.put("aggregate type", selection.lane().aggregateType());
        filters.put("aggregate id", selection.lane().aggregateId());
        filters.put("event id", selection.event().eventId());
        filters.put("stream", selection.event().stream());
        filters.put("event type", selection.event().type());
        filters.put("error code", selection.event().errorCode());
        filters.put("created since", selection.created().since());
        filters.put("created before", selection.created().before());
        filters.put("statuses", selection.statuses());
        filters.values().removeIf(Objects::isNull);
        return " with " + filters
                + "; add an event id, an aggregate with its type and id, or a stream with a handler id and a status";
    }

    static void check(OperationSelection selection) {
        checkOptional("handler id", selection.handlerId());
        checkOptional("the name of the operator", selection.performedBy());
        check(selection.performed());
    }

    static void check(EventSelection selection) {
        checkOptional("aggregate type", selection.aggregateType());
        checkOptional("aggregate id", selection.aggregateId());
        checkOptional("event type", selection.eventType());
        checkOptional("trace id", selection.traceId());
        if (selection.aggregateId() != null && selection.aggregateType() == null) {
            throw new InvalidOperationException("an aggregate id needs its aggregate type");
        }
    }

    static void checkAggregate(String type, String id) {
        checkText("aggregate type", type, LONGEST_NAME);
        checkText("aggregate id", id, LONGEST_NAME);
    }

    static void check(int limit) {
        if (limit < 1) {
            throw new InvalidOperationException("the limit must be at least 1: " + limit);
        }
    }

    private static void check(Span span) {
        checkTime(span.since());
        checkTime(span.before());
        if (span.since() != null && span.before() != null && !span.since().isBefore(span.before())) {
            throw new InvalidOperationException(
                    "the time must begin before it ends: since " + span.since() + ", before " + span.before());
        }
    }

    private static void checkTime(@Nullable Instant time) {
        if (time != null && (time.isBefore(FIRST_TIME) || !time.isBefore(AFTER_LAST_TIME))) {
            throw new InvalidOperationException("the time must be in the years 1 to 9999: " + time);
        }
    }

    private static void checkOptional(String what, @Nullable String text) {
        if (text != null) {
            checkText(what, text, LONGEST_NAME);
        }
    }

    private static void checkText(String what, @Nullable String text, int longest) {
        if (text == null || text.isBlank()) {
            throw new InvalidOperationException(what + " must not be missing or blank");
        }
        if (text.length() > longest) {
            throw new InvalidOperationException(
                    what + " must have at most " + longest + " characters, but has " + text.length());
        }
        if (text.indexOf(0) >= 0 || !StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
            throw new InvalidOperationException(
                    what + " contains U+0000 or half of a surrogate pair, which PostgreSQL cannot store");
        }
    }
}
