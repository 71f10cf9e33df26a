package dev.outbox.internal.claim;

import dev.outbox.internal.claim.ClaimStore.Window;
import java.time.Duration;
import java.util.function.LongSupplier;

/** Decides where a claim starts: the mark advances rarely, because a held snapshot keeps every version of the stream's row. */
final class WindowSchedule {

    private static final long ADVANCE_INTERVAL = Duration.ofMillis(100).toNanos();
    private static final int MOST_EVENTS = 1_000;
    /** Finds events that another program inserted with an id of its own. */
    private static final long WHOLE_QUEUE_INTERVAL = Duration.ofMinutes(1).toNanos();
    /** Nothing is delivered while a claim looks at the whole queue: that takes at most a 200th of the time. */
    private static final int SHARE = 200;

    /** After a failure, however long, a claim looks at the whole queue again within ten minutes. */
    private static final Duration LONGEST_FAILURE = Duration.ofMinutes(10).dividedBy(SHARE);

    private final LongSupplier nanos;
    private long advanceAt;
    private long wholeQueueAt;
    private int events;

    WindowSchedule(LongSupplier nanos) {
        this.nanos = nanos;
        this.advanceAt = nanos.getAsLong();
        this.wholeQueueAt = nanos.getAsLong();
    }

    Window next() {
        long now = nanos.getAsLong();
        if (now - wholeQueueAt >= 0) {
            return Window.WHOLE_QUEUE;
        }
        return now - advanceAt >= 0 || events >= MOST_EVENTS ? Window.ADVANCED : Window.AS_IT_IS;
    }

    /** Notes a claim that failed: it would take as long again, unless it only waited for the database. */
    void failed(Window window, Duration took) {
        claimed(window, 0, took.compareTo(LONGEST_FAILURE) < 0 ? took : LONGEST_FAILURE);
    }

    /** Notes a claim. */
    void claimed(Window window, int claimed, Duration took) {
        long now = nanos.getAsLong();
        events += claimed;
        if (window != Window.AS_IT_IS) {
            events = claimed;
            advanceAt = now + ADVANCE_INTERVAL;
        }
        if (window == Window.WHOLE_QUEUE) {
            wholeQueueAt = now + Math.max(WHOLE_QUEUE_INTERVAL, took.toNanos() * SHARE);
        }
    }
}
