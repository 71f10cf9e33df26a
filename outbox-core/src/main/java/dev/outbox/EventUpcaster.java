package dev.outbox;

import java.util.Objects;
import java.util.function.UnaryOperator;
import tools.jackson.databind.node.ObjectNode;

/**
 * Converts payloads of an event type from an older schema version to a newer one. A bean of this type registers itself. Each attempt on an
 * older event, at its first delivery, at a retry and in a replay, runs the upcasters one after the other until the payload has the version
 * of the handler's class. A handler of a {@code JsonNode} gets the newest version, a handler of an {@link EventEnvelope} the stored payload.
 * The stored event never changes.
 *
 * <p>The versions of an event type form one chain, for example from 1 to 2 and from 2 to 3. The application does not start
 * ({@link OutboxConfigurationException}) if two upcasters overlap, if a version between them is missing, or if the last one does not lead
 * to the version of the handlers' class. An event that is older than the first step of its chain becomes a dead letter
 * ({@code MISSING_UPCASTER}).
 */
public final class EventUpcaster {

    private final String eventType;
    private final int from;
    private final int to;
    private final UnaryOperator<ObjectNode> change;

    private EventUpcaster(String eventType, int from, int to, UnaryOperator<ObjectNode> change) {
        this.eventType = eventType;
        this.from = from;
        this.to = to;
        this.change = Objects.requireNonNull(change, "change");
    }

    /**
     * Creates an upcaster.
     *
     * @param eventType the event type
     * @param from the version that it reads, at least 1
     * @param to the version that it returns, above {@code from}
     * @param change changes the payload in place and returns it, or returns another object. Runs on the thread of the handler, without a
     *     transaction, and must be thread-safe. An exception fails the attempt, and the retry policy applies.
     * @return the upcaster
     * @throws OutboxConfigurationException if the event type is invalid, or the versions do not increase from at least 1
     */
    public static EventUpcaster of(String eventType, int from, int to, UnaryOperator<ObjectNode> change) {
        EventUpcaster upcaster = new EventUpcaster(eventType, from, to, change);
        if (!EventTypeName.isValid(eventType)) {
            throw new OutboxConfigurationException(
                    upcaster + " has an invalid event type, which must " + EventTypeName.RULE);
        }
        if (from < 1 || to <= from) {
            throw new OutboxConfigurationException(upcaster
                    + " does not lead to a newer version: versions start at 1, and the second must be above the first");
        }
        return upcaster;
    }

    /** {@return the event type} */
    public String eventType() {
        return eventType;
    }

    /** {@return the version that the upcaster reads} */
    public int from() {
        return from;
    }

    /** {@return the version that the upcaster returns} */
    public int to() {
        return to;
    }

    /**
     * Converts a payload, for tests of the upcaster.
     *
     * @param payload a payload of the version {@link #from()}, which may be changed
     * @return the payload in the version {@link #to()}
     * @throws NullPointerException if the change returns {@code null}
     */
    public ObjectNode upcast(ObjectNode payload) {
        return Objects.requireNonNull(change.apply(payload), () -> this + " returned null");
    }

    /** Describes the step in one line. */
    @Override
    public String toString() {
        return "EventUpcaster of " + eventType + " from version " + from + " to " + to;
    }
}
