package dev.outbox.internal.lane;

import dev.outbox.internal.registry.ActiveHandlers;
import java.time.OffsetDateTime;
import java.util.TreeMap;

/**
 * Where a look for due lanes starts: at the first due time that the previous look found, or ten seconds before that look. A lane that waits
 * keeps the mark, so the longest waiting goes first. Some looks start at the beginning: after the handlers have changed, after a look at
 * another server, which may have moved back in time, and once a minute, because a long transaction or the end of another claim can make a
 * lane due before the mark.
 */
final class DueMark {

    private static final OffsetDateTime BEGINNING = OffsetDateTime.MIN;

    private volatile Look last = new Look(new ActiveHandlers(new TreeMap<>()), "", BEGINNING);

    private record Look(ActiveHandlers handlers, String server, OffsetDateTime mark) {}

    /** Returns where a look for next due times starts. */
    OffsetDateTime of(ActiveHandlers handlers, boolean wholeQueue) {
        return wholeQueue ? BEGINNING : of(handlers);
    }

    OffsetDateTime of(ActiveHandlers handlers) {
        Look look = last;
        return look.handlers().equals(handlers) ? look.mark() : BEGINNING;
    }

    void found(ActiveHandlers handlers, String server, OffsetDateTime mark) {
        last = new Look(handlers, server, server.equals(last.server()) ? mark : BEGINNING);
    }
}
