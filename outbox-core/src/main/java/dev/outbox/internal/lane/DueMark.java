package dev.outbox.internal.lane;

import dev.outbox.internal.registry.ActiveHandlers;
import java.time.OffsetDateTime;
import java.util.TreeMap;

/**
 * Where a look at due lanes starts: the look before has found none that was due earlier. So a lane that waits, however long, keeps the mark,
 * and the longest waiting goes first. Other handlers than those of the look before have other lanes: for them, the mark is at the beginning.
 * So it is once a minute ({@code WindowSchedule}), for what gets behind the mark: lanes of long transactions, lanes that wait for another
 * claim, and all of them if the database clock goes back.
 */
public final class DueMark {

    public static final OffsetDateTime BEGINNING = OffsetDateTime.MIN;

    private volatile Look last = new Look(new ActiveHandlers(new TreeMap<>()), BEGINNING);

    private record Look(ActiveHandlers handlers, OffsetDateTime mark) {}

    public OffsetDateTime of(ActiveHandlers handlers) {
        Look look = last;
        return look.handlers().equals(handlers) ? look.mark() : BEGINNING;
    }

    public void found(ActiveHandlers handlers, OffsetDateTime mark) {
        last = new Look(handlers, mark);
    }
}
