package dev.outbox.test;

import dev.outbox.EventEnvelope;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * Assertions on the events of a type that are scheduled for later. Each narrows the selection to the events that meet it, and fails if none
 * is left. {@link #times} verifies how many do.
 *
 * @param <T> the class of the payload
 */
public final class ScheduledEventsAssert<T> extends EventsAssert<ScheduledEventsAssert<T>, ScheduledEvent, T> {

    /** Longer than a slow machine takes from the publication to the assertion. */
    private static final Duration LONGEST_TOLERANCE = Duration.ofSeconds(30);

    ScheduledEventsAssert(
            OutboxTester outbox, Class<T> payloadClass, List<ScheduledEvent> selected, String description) {
        super(outbox, payloadClass, selected, description);
    }

    @Override
    ScheduledEventsAssert<T> narrowed(List<ScheduledEvent> left, String newDescription) {
        return new ScheduledEventsAssert<>(outbox, payloadClass, left, newDescription);
    }

    @Override
    EventEnvelope envelope(ScheduledEvent event) {
        return event.envelope();
    }

    @Override
    String nothing() {
        return "nothing is scheduled";
    }

    @Override
    String advice(List<ScheduledEvent> events) {
        return "";
    }

    /**
     * Selects the events with a key.
     *
     * @param key the key by which the application replaces or cancels the event
     * @return the narrower selection
     */
    public ScheduledEventsAssert<T> withKey(String key) {
        return narrow(" with the key '" + key + "'", (event) -> key.equals(event.key()));
    }

    /**
     * Selects the events that are due after a time, give or take a tenth of it and a second, but at most 30 seconds: the test itself
     * takes time. What {@link OutboxTester#advance} lets pass counts: an event for 14 days is due in 13 days after
     * {@code advance(Duration.ofDays(1))}.
     *
     * @param duration the time from now, by the clock of the database
     * @return the narrower selection
     */
    public ScheduledEventsAssert<T> dueIn(Duration duration) {
        Duration tolerance = tolerance(duration);
        return narrow(
                " that is due in " + ScheduledEvent.text(duration),
                (event) -> event.dueIn().minus(duration).abs().compareTo(tolerance) <= 0);
    }

    private static Duration tolerance(Duration duration) {
        Duration tolerance = duration.abs().dividedBy(10).plusSeconds(1);
        return tolerance.compareTo(LONGEST_TOLERANCE) < 0 ? tolerance : LONGEST_TOLERANCE;
    }

    /**
     * Selects the events that are due at a point in time, to the millisecond. {@link OutboxTester#advance} moves due times into the past, so
     * assert before it.
     *
     * @param time the point in time
     * @return the narrower selection
     */
    public ScheduledEventsAssert<T> dueAt(Instant time) {
        return narrow(
                " that is due at " + time,
                (event) -> Duration.between(event.dueAt(), time).abs().toMillis() == 0);
    }
}
