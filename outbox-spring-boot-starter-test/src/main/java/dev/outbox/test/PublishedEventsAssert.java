package dev.outbox.test;

import dev.outbox.test.StoredEvent.Status;
import dev.outbox.test.StoredEvent.UnfinishedDelivery;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import tools.jackson.core.JacksonException;

/**
 * Assertions on the published events of a type. Each narrows the selection to the events that meet it, and fails if none is left: a chain
 * verifies that at least one event meets all of it. {@link #times} verifies how many do.
 *
 * @param <T> the class of the payload
 */
public final class PublishedEventsAssert<T> {

    private final OutboxTester outbox;
    private final Class<T> payloadClass;
    private final List<StoredEvent> selected;
    private final String description;

    PublishedEventsAssert(OutboxTester outbox, Class<T> payloadClass, List<StoredEvent> selected, String description) {
        this.outbox = outbox;
        this.payloadClass = payloadClass;
        this.selected = selected;
        this.description = description;
    }

    /**
     * Selects the events of an aggregate.
     *
     * @param aggregateType the aggregate type
     * @param aggregateId the aggregate id
     * @return the narrower selection
     */
    public PublishedEventsAssert<T> forAggregate(String aggregateType, String aggregateId) {
        return narrow(
                " of " + aggregateType + "/" + aggregateId,
                (event) -> event.envelope().aggregateType().equals(aggregateType)
                        && event.envelope().aggregateId().equals(aggregateId));
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
                (event) -> !event.handledBy().contains(handlerId));
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
        return hasStatus(Status.RETRYING);
    }

    /**
     * Selects the events with a dead delivery and no open one.
     *
     * @return the narrower selection
     */
    public PublishedEventsAssert<T> isDead() {
        return hasStatus(Status.DEAD);
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
        return narrow(
                " after " + attempts + (attempts == 1 ? " attempt" : " attempts"),
                (event) -> event.deliveries().stream().anyMatch((delivery) -> delivery.attempts() == attempts));
    }

    /**
     * Selects the events with a delivery whose last error contains a text: its code is the simple class name of the exception.
     *
     * @param text part of the error code or message
     * @return the narrower selection
     */
    public PublishedEventsAssert<T> withError(String text) {
        return narrow(
                " with the error '" + text + "'",
                (event) -> event.deliveries().stream()
                        .map(UnfinishedDelivery::lastError)
                        .anyMatch((error) -> error != null && error.contains(text)));
    }

    /**
     * Selects the events with a payload.
     *
     * @param payload the payload, compared with {@code equals}
     * @return the narrower selection
     */
    public PublishedEventsAssert<T> withPayload(T payload) {
        return narrow(" with the payload " + payload, (event) -> payload.equals(payload(event)));
    }

    /**
     * Selects the events with a header.
     *
     * @param name the name of the header
     * @param value the value
     * @return the narrower selection
     */
    public PublishedEventsAssert<T> withHeader(String name, String value) {
        return narrow(
                " with the header " + name + "=" + value,
                (event) -> value.equals(event.envelope().headers().get(name)));
    }

    /**
     * Verifies that the payload of every selected event meets requirements.
     *
     * @param requirements assertions on the payload
     * @return this
     */
    public PublishedEventsAssert<T> satisfies(Consumer<? super T> requirements) {
        selected.forEach((event) -> {
            try {
                requirements.accept(payload(event));
            } catch (AssertionError ex) {
                throw new AssertionError(
                        "The payload of " + event + " does not meet the requirements: " + ex.getMessage(), ex);
            }
        });
        return this;
    }

    /**
     * Verifies how many events are selected.
     *
     * @param count the number of events
     * @return this
     */
    public PublishedEventsAssert<T> times(int count) {
        if (selected.size() != count) {
            throw new AssertionError("Expected " + description + " " + count + (count == 1 ? " time" : " times")
                    + ", but there are " + selected.size() + ":" + OutboxTester.lines(selected));
        }
        return this;
    }

    private T payload(StoredEvent event) {
        try {
            return outbox.read(event, payloadClass);
        } catch (JacksonException ex) {
            throw new AssertionError("The payload of " + event + " is no " + payloadClass.getName(), ex);
        }
    }

    PublishedEventsAssert<T> narrow(String requirement, Predicate<StoredEvent> predicate) {
        List<StoredEvent> left = selected.stream().filter(predicate).toList();
        if (left.isEmpty()) {
            throw new AssertionError("Expected " + description + requirement + ", but "
                    + (selected.isEmpty()
                            ? "the outbox has no event; events of a transaction that rolled back are not stored"
                            : "there is only:" + OutboxTester.lines(selected)));
        }
        return new PublishedEventsAssert<>(outbox, payloadClass, left, description + requirement);
    }
}
