package dev.outbox.test;

import dev.outbox.EventEnvelope;
import dev.outbox.test.StoredEvent.Status;
import dev.outbox.test.StoredEvent.UnfinishedDelivery;
import java.util.List;
import java.util.function.Predicate;

/**
 * Assertions on the published events of a type. Each narrows the selection to the events that meet it, and fails if none is left: a chain
 * verifies that at least one event meets all of it. {@link #times} verifies how many do.
 *
 * @param <T> the class of the payload
 */
public final class PublishedEventsAssert<T> extends EventsAssert<PublishedEventsAssert<T>, StoredEvent, T> {

    PublishedEventsAssert(OutboxTester outbox, Class<T> payloadClass, List<StoredEvent> selected, String description) {
        super(outbox, payloadClass, selected, description);
    }

    @Override
    PublishedEventsAssert<T> narrowed(List<StoredEvent> left, String newDescription) {
        return new PublishedEventsAssert<>(outbox, payloadClass, left, newDescription);
    }

    @Override
    EventEnvelope envelope(StoredEvent event) {
        return event.envelope();
    }

    @Override
    String nothing() {
        return "the outbox has no event";
    }

    @Override
    String advice(List<StoredEvent> events) {
        return StoredEvent.advice(events);
    }

    /**
     * Selects the events that a handler has handled in this test.
     *
     * @param handlerId the handler
     * @return the narrower selection
     */
    public PublishedEventsAssert<T> handledBy(String handlerId) {
        outbox.requireHandler(handlerId);
        return narrow(
                " that " + handlerId + " has handled",
                (event) -> event.handledBy().contains(handlerId));
    }

    /**
     * Selects the events that a handler has not handled in this test.
     *
     * @param handlerId the handler
     * @return the narrower selection
     */
    public PublishedEventsAssert<T> notHandledBy(String handlerId) {
        outbox.requireHandler(handlerId);
        return narrow(
                        " that " + handlerId + " has not handled",
                        (event) -> !event.handledBy().contains(handlerId))
                .see((delivery) -> delivery.handlerId().equals(handlerId));
    }

    /**
     * Selects the events that await their first delivery, such as those that were published after the last {@code drain()}.
     *
     * @return the narrower selection
     */
    public PublishedEventsAssert<T> isPending() {
        return hasStatus(Status.PENDING);
    }

    /**
     * Selects the events with an open delivery: it is retried, or waits for an earlier event.
     *
     * @return the narrower selection
     */
    public PublishedEventsAssert<T> isRetrying() {
        return hasStatus(Status.RETRYING).see((delivery) -> !delivery.dead());
    }

    /**
     * Selects the events with a dead delivery and no open one.
     *
     * @return the narrower selection
     */
    public PublishedEventsAssert<T> isDead() {
        return hasStatus(Status.DEAD).see(UnfinishedDelivery::dead);
    }

    /**
     * Selects the events that every handler has handled. An event that no handler of this context takes is not among them.
     *
     * @return the narrower selection
     */
    public PublishedEventsAssert<T> isHandled() {
        return narrow(
                " that all its handlers, and at least one, have handled",
                (event) ->
                        event.status() == Status.PUBLISHED && !event.handledBy().isEmpty());
    }

    private PublishedEventsAssert<T> hasStatus(Status status) {
        return narrow(" that is " + status, (event) -> event.status() == status);
    }

    /**
     * Selects the events with an unfinished delivery, open or dead, that has begun this many attempts.
     *
     * @param attempts the number of attempts
     * @return the narrower selection
     */
    public PublishedEventsAssert<T> afterAttempts(int attempts) {
        return withDelivery(
                " after " + attempts + (attempts == 1 ? " attempt" : " attempts"),
                (delivery) -> delivery.attempts() == attempts);
    }

    /**
     * Selects the events with a delivery whose last error contains a text: its code is the simple class name of the exception.
     *
     * @param text part of the error code or message
     * @return the narrower selection
     */
    public PublishedEventsAssert<T> withError(String text) {
        return withDelivery(" with the error '" + text + "'", (delivery) -> {
            String error = delivery.lastError();
            return error != null && error.contains(text);
        });
    }

    private PublishedEventsAssert<T> withDelivery(String requirement, Predicate<UnfinishedDelivery> condition) {
        return narrow(requirement, (event) -> event.deliveries().stream().anyMatch(condition))
                .see(condition);
    }

    /** The test expects the failures of these deliveries of the selected events: it has asserted them. */
    private PublishedEventsAssert<T> see(Predicate<UnfinishedDelivery> condition) {
        outbox.see(selected, condition);
        return this;
    }
}
