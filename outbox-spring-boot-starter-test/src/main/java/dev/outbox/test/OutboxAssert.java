package dev.outbox.test;

import dev.outbox.EventEnvelope;
import dev.outbox.internal.payload.DeclaredType;
import dev.outbox.test.StoredEvent.Status;
import java.util.List;
import java.util.function.Predicate;
import tools.jackson.databind.JsonNode;

/** Assertions on the events of an outbox. The messages of failed assertions list the events that are there. */
public final class OutboxAssert {

    private final OutboxTester outbox;

    OutboxAssert(OutboxTester outbox) {
        this.outbox = outbox;
    }

    /**
     * Verifies that at least one event of a payload class was published.
     *
     * @param payloadClass the class of the payload
     * @param <T> the class of the payload
     * @return assertions on the events of this class
     */
    public <T> PublishedEventsAssert<T> published(Class<T> payloadClass) {
        return published(DeclaredType.of(payloadClass).name(), payloadClass);
    }

    /**
     * Verifies that at least one event of a type was published.
     *
     * @param eventType the event type
     * @return assertions on the events of this type, with the payload as a JSON tree
     */
    public PublishedEventsAssert<JsonNode> published(String eventType) {
        return published(eventType, JsonNode.class);
    }

    private <T> PublishedEventsAssert<T> published(String eventType, Class<T> payloadClass) {
        List<StoredEvent> events = outbox.unseenEvents();
        Predicate<EventEnvelope> ofType = (event) -> event.eventType().equals(eventType);
        if (events.stream().map(StoredEvent::envelope).noneMatch(ofType)) {
            requireNotScheduled(eventType, ofType);
        }
        return new PublishedEventsAssert<>(outbox, payloadClass, events, "an event")
                .narrow(" " + eventType, (event) -> ofType.test(event.envelope()));
    }

    private void requireNotScheduled(String eventType, Predicate<EventEnvelope> ofType) {
        List<ScheduledEvent> scheduled = outbox.scheduled().stream()
                .filter((event) -> ofType.test(event.envelope()))
                .toList();
        if (!scheduled.isEmpty()) {
            throw new AssertionError("Expected an event " + eventType + ", but it is scheduled for later;"
                    + " call advance(...) or advanceToScheduled(), and then drain():" + OutboxTester.lines(scheduled));
        }
    }

    /**
     * Verifies that at least one event of a payload class is scheduled for later. An event that was due, and that a {@code drain()} has
     * delivered, is {@link #published(Class) published} instead.
     *
     * @param payloadClass the class of the payload
     * @param <T> the class of the payload
     * @return assertions on the scheduled events of this class
     */
    public <T> ScheduledEventsAssert<T> scheduled(Class<T> payloadClass) {
        return scheduled(DeclaredType.of(payloadClass).name(), payloadClass);
    }

    /**
     * Verifies that at least one event of a type is scheduled for later.
     *
     * @param eventType the event type
     * @return assertions on the scheduled events of this type, with the payload as a JSON tree
     */
    public ScheduledEventsAssert<JsonNode> scheduled(String eventType) {
        return scheduled(eventType, JsonNode.class);
    }

    private <T> ScheduledEventsAssert<T> scheduled(String eventType, Class<T> payloadClass) {
        return new ScheduledEventsAssert<>(outbox, payloadClass, outbox.scheduled(), "a scheduled event")
                .narrow(" " + eventType, (event) -> event.envelope().eventType().equals(eventType));
    }

    /**
     * Verifies that the outbox has no event, nor one that is scheduled for later.
     *
     * @return this
     */
    public OutboxAssert publishedNothing() {
        return none("no event", (event) -> true).scheduledNothing();
    }

    /**
     * Verifies that no event is scheduled for later.
     *
     * @return this
     */
    public OutboxAssert scheduledNothing() {
        return none("no scheduled event", outbox.scheduled(), "");
    }

    /**
     * Verifies that no delivery is dead, also of an event that another handler still retries.
     *
     * @return this
     */
    public OutboxAssert hasNoDeadLetters() {
        return none(
                "no dead letter",
                (event) -> event.deliveries().stream().anyMatch(StoredEvent.UnfinishedDelivery::dead));
    }

    /**
     * Verifies that every event was handled by all its handlers, and by at least one. Events that are scheduled for later are not considered.
     *
     * @return this
     */
    public OutboxAssert isDrained() {
        List<StoredEvent> unhandled = outbox.unseenEvents().stream()
                .filter((event) ->
                        event.status() != Status.PUBLISHED || event.handledBy().isEmpty())
                .toList();
        return none("only events that all handlers have handled", unhandled, StoredEvent.advice(unhandled));
    }

    private OutboxAssert none(String expected, Predicate<StoredEvent> unexpected) {
        List<StoredEvent> found =
                outbox.unseenEvents().stream().filter(unexpected).toList();
        // A test that expects this assertion to fail has seen the failures that its message lists.
        outbox.see(found, (delivery) -> true);
        return none(expected, found, "");
    }

    private OutboxAssert none(String expected, List<?> found, String advice) {
        if (!found.isEmpty()) {
            throw new AssertionError("Expected " + expected + ", but there is:" + OutboxTester.lines(found) + advice);
        }
        return this;
    }
}
