package dev.outbox.operations;

import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Rules for the criteria of selections: values that PostgreSQL cannot store or compare are refused before any SQL runs. */
final class Criteria {

    private static final int LONGEST = 255;
    private static final Instant FIRST_TIME = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant AFTER_LAST_TIME = Instant.parse("+10000-01-01T00:00:00Z");

    private Criteria() {}

    static void checkText(String what, @Nullable String text) {
        InvalidOperationException.checkText(what, text, LONGEST);
    }

    static void checkOptional(String what, @Nullable String text) {
        if (text != null) {
            checkText(what, text);
        }
    }

    /** Refuses a missing id: as {@code null}, it would widen the request. */
    static void checkEvent(@Nullable UUID id) {
        if (id == null) {
            throw new InvalidOperationException("event id must not be missing");
        }
    }

    static void checkAggregate(@Nullable String type, @Nullable String id) {
        checkOptional("aggregate type", type);
        checkOptional("aggregate id", id);
        if (id != null && type == null) {
            throw new InvalidOperationException("an aggregate id needs its aggregate type");
        }
    }

    static void checkRange(@Nullable Instant from, @Nullable Instant to) {
        checkTime(from);
        checkTime(to);
        if (from != null && to != null && !from.isBefore(to)) {
            throw new InvalidOperationException("the range from " + from + " to " + to + " is empty");
        }
    }

    private static void checkTime(@Nullable Instant time) {
        if (time != null && (time.isBefore(FIRST_TIME) || !time.isBefore(AFTER_LAST_TIME))) {
            throw new InvalidOperationException("the time must be in the years 1 to 9999: " + time);
        }
    }
}
