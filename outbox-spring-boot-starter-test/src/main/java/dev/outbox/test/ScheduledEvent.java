package dev.outbox.test;

import dev.outbox.EventEnvelope;
import java.time.Duration;
import java.time.Instant;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Event that is due later. It has no sequence yet. */
record ScheduledEvent(EventEnvelope envelope, @Nullable String key, Instant dueAt, Duration dueIn) {

    /** Describes the event in one line, without the payload. */
    @Override
    public String toString() {
        return envelope.eventType() + " of " + envelope.aggregateType() + "/" + envelope.aggregateId()
                + (key == null ? "" : " with the key '" + key + "'") + " is scheduled for " + dueAt
                + (dueIn.isNegative() || dueIn.isZero() ? " (due: call drain())" : " (in " + text(dueIn) + ")");
    }

    /** Returns a duration in words, to the minute from an hour on, and else to the second. */
    static String text(Duration duration) {
        long unit = duration.compareTo(Duration.ofHours(1).minusSeconds(30)) < 0 ? 1 : 60;
        Duration rounded = Duration.ofSeconds(Math.round(duration.toMillis() / 1000.0 / unit) * unit);
        StringJoiner text = new StringJoiner(" ");
        text.setEmptyValue("0 seconds");
        add(text, rounded.toDaysPart(), "day");
        add(text, rounded.toHoursPart(), "hour");
        add(text, rounded.toMinutesPart(), "minute");
        add(text, rounded.toSecondsPart(), "second");
        return text.toString();
    }

    private static void add(StringJoiner text, long count, String unit) {
        if (count > 0) {
            text.add(count + " " + unit + (count == 1 ? "" : "s"));
        }
    }
}
