package dev.outbox.internal.registry;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.HandlerDefinition.Source;
import java.util.Comparator;
import java.util.Map;

/** Events that a handler takes: those with these four values, each of which may stand for any. An event has one value of each. */
public record Subscription(String eventType, String aggregateType, String stream, String source)
        implements Comparable<Subscription> {

    public static final String ANY = HandlerDefinition.ALL_EVENT_TYPES;

    /** Event types of the library itself begin with it. A handler gets only those that it names. */
    public static final String RESERVED = "outbox.";

    private static final Comparator<Subscription> ORDER = Comparator.comparing(Subscription::eventType)
            .thenComparing(Subscription::aggregateType)
            .thenComparing(Subscription::stream)
            .thenComparing(Subscription::source);

    /** Returns a subscription to every event of a type. */
    public static Subscription ofType(String eventType) {
        return new Subscription(eventType, ANY, ANY, ANY);
    }

    /** Returns the values of an event. */
    public static Subscription of(EventEnvelope event) {
        return of(event.eventType(), event.aggregateType(), event.stream(), isReceived(event.headers()));
    }

    /** Returns the values of an event. */
    public static Subscription of(String eventType, String aggregateType, String stream, boolean received) {
        Source source = received ? Source.RECEIVED : Source.OWN;
        return new Subscription(eventType, aggregateType, stream, source.name());
    }

    public static boolean isReceived(Map<String, String> headers) {
        return headers.containsKey(EventEnvelope.ORIGIN);
    }

    /** Returns whether it takes an event with these values, or every event of another subscription; as {@code outbox_takes} in SQL does. */
    public boolean takes(Subscription other) {
        return takesType(other.eventType)
                && takes(aggregateType, other.aggregateType)
                && takes(stream, other.stream)
                && takes(source, other.source);
    }

    /** Returns whether it takes any events of a type. */
    public boolean takesType(String type) {
        return eventType.equals(type) || (eventType.equals(ANY) && !type.startsWith(RESERVED));
    }

    private static boolean takes(String own, String other) {
        return own.equals(other) || own.equals(ANY);
    }

    @Override
    public int compareTo(Subscription other) {
        return ORDER.compare(this, other);
    }

    /** Names the event type, and what else restricts the events. */
    @Override
    public String toString() {
        return (source.equals(ANY) ? "" : source.equals(Source.OWN.name()) ? "own " : "received ")
                + eventType
                + (aggregateType.equals(ANY) ? "" : " of " + aggregateType)
                + (stream.equals(ANY) ? "" : " in stream " + stream);
    }
}
