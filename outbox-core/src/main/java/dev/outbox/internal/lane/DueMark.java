package dev.outbox.internal.lane;

import dev.outbox.internal.registry.ActiveHandlers;
import java.time.OffsetDateTime;
import java.util.TreeMap;

/**
 * Where a look for due lanes starts: at the first due time that the previous look found, or ten seconds before that look. A lane that waits
 * keeps the mark, so the longest waiting goes first. A look starts at the beginning if the handlers have changed, if the last one was another
 * server's, which may have moved back in time, and with the look at the whole queue, once a minute: a long transaction, or the end of another
 * claim, can make a lane due before the mark.
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
