package dev.outbox.test;

import dev.outbox.EventEnvelope;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Predicate;
import tools.jackson.core.JacksonException;

/** Selection of events, which each assertion narrows. */
abstract sealed class EventsAssert<S extends EventsAssert<S, E, T>, E, T>
        permits PublishedEventsAssert, ScheduledEventsAssert {

    final OutboxTester outbox;
    final Class<T> payloadClass;
    final List<E> selected;
    private final String description;

    EventsAssert(OutboxTester outbox, Class<T> payloadClass, List<E> selected, String description) {
        this.outbox = outbox;
        this.payloadClass = payloadClass;
        this.selected = selected;
        this.description = description;
    }

    abstract S narrowed(List<E> left, String newDescription);

    abstract EventEnvelope envelope(E event);

    /** Says that there is no event at all. */
    abstract String nothing();

    /** Adds to a list of events what to do about them. */
    abstract String advice(List<E> events);

    /**
     * Selects the events of an aggregate.
     *
     * @param aggregateType the aggregate type
     * @param aggregateId the aggregate id
     * @return the narrower selection
     */
    public S forAggregate(String aggregateType, String aggregateId) {
        return narrow(
                " of " + aggregateType + "/" + aggregateId,
                (event) -> envelope(event).aggregateType().equals(aggregateType)
                        && envelope(event).aggregateId().equals(aggregateId));
    }

    /**
     * Selects the events with a payload.
     *
     * @param payload the payload, compared with {@code equals}
     * @return the narrower selection
     */
    public S withPayload(T payload) {
        return narrow(" with the payload " + payload, (event) -> payload.equals(payload(event)));
    }

    /**
     * Selects the events with a header.
     *
     * @param name the name of the header
     * @param value the value
     * @return the narrower selection
     */
    public S withHeader(String name, String value) {
        return narrow(
                " with the header " + name + "=" + value,
                (event) -> value.equals(envelope(event).headers().get(name)));
    }

    /**
     * Verifies that the payload of every selected event meets requirements.
     *
     * @param requirements assertions on the payload
     * @return this selection
     */
    public S satisfies(Consumer<? super T> requirements) {
        selected.forEach((event) -> {
            try {
                requirements.accept(payload(event));
            } catch (AssertionError ex) {
                throw new AssertionError(
                        "The payload of " + event + " does not meet the requirements: " + ex.getMessage(), ex);
            }
        });
        return narrowed(selected, description);
    }

    /**
     * Verifies how many events are selected.
     *
     * @param count the number of events
     * @return this selection
     */
    public S times(int count) {
        if (selected.size() != count) {
            throw new AssertionError("Expected " + description + " " + count + (count == 1 ? " time" : " times")
                    + ", but there are " + selected.size() + ":" + OutboxTester.lines(selected));
        }
        return narrowed(selected, description);
    }

    private T payload(E event) {
        try {
            return outbox.read(envelope(event), payloadClass);
        } catch (JacksonException ex) {
            throw new AssertionError("The payload of " + event + " is no " + payloadClass.getName(), ex);
        }
    }

    S narrow(String requirement, Predicate<E> predicate) {
        List<E> left = selected.stream().filter(predicate).toList();
        if (left.isEmpty()) {
            throw new AssertionError("Expected " + description + requirement + ", but "
                    + (selected.isEmpty()
                            ? nothing() + "; events of a transaction that rolled back are not stored"
                            : "there is only:" + OutboxTester.lines(selected) + advice(selected)));
        }
        return narrowed(left, description + requirement);
    }
}
