package dev.outbox.test;

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
        return new PublishedEventsAssert<>(outbox, payloadClass, outbox.events(), "an event")
                .narrow(" " + eventType, (event) -> event.envelope().eventType().equals(eventType));
    }

    /**
     * Verifies that the outbox has no event.
     *
     * @return this
     */
    public OutboxAssert publishedNothing() {
        return none("no event", (event) -> true);
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
     * Verifies that every event was handled by all its handlers, and by at least one.
     *
     * @return this
     */
    public OutboxAssert isDrained() {
        return none(
                "only events that all handlers have handled",
                (event) ->
                        event.status() != Status.PUBLISHED || event.handledBy().isEmpty());
    }

    private OutboxAssert none(String expected, Predicate<StoredEvent> unexpected) {
        List<StoredEvent> found = outbox.events().stream().filter(unexpected).toList();
        if (!found.isEmpty()) {
            throw new AssertionError("Expected " + expected + ", but there is:" + OutboxTester.lines(found));
        }
        return this;
    }
}
