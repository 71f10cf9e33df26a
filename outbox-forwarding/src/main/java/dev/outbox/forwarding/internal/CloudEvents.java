package dev.outbox.forwarding.internal;

import dev.outbox.EventEnvelope;
import java.util.LinkedHashMap;
import java.util.Map;

/** CloudEvents attributes that describe an event: the subject is the aggregate id, the source the service that published it. */
public final class CloudEvents {

    public static final String SPEC_VERSION = "specversion";
    public static final String ID = "id";
    public static final String SOURCE = "source";
    public static final String TYPE = "type";
    public static final String TIME = "time";
    public static final String SUBJECT = "subject";
    public static final String AGGREGATE_TYPE = "aggregatetype";
    public static final String SEQUENCE = "sequence";
    public static final String SCHEMA_VERSION = "schemaversion";

    /** Value of {@link #SPEC_VERSION}. */
    public static final String VERSION = "1.0";

    /** Content type of every payload. */
    public static final String JSON = "application/json";

    private CloudEvents() {}

    /**
     * Returns the headers of the message of an event: the attributes, and behind them the headers of the event that have another name.
     *
     * @param source the source of the events of this service
     * @param prefix what the name of each attribute begins with
     */
    public static Map<String, String> headers(EventEnvelope event, String source, String prefix) {
        Map<String, String> headers = new LinkedHashMap<>();
        attributes(event, source).forEach((name, value) -> headers.put(prefix + name, value));
        event.headers().forEach(headers::putIfAbsent);
        headers.remove(EventEnvelope.ORIGIN);
        return headers;
    }

    private static Map<String, String> attributes(EventEnvelope event, String source) {
        Map<String, String> attributes = new LinkedHashMap<>();
        attributes.put(SPEC_VERSION, VERSION);
        attributes.put(ID, event.eventId().toString());
        // The id of a received event is unique together with the source that gave it.
        attributes.put(SOURCE, event.headers().getOrDefault(EventEnvelope.ORIGIN, source));
        attributes.put(TYPE, event.eventType());
        attributes.put(TIME, event.occurredAt().toString());
        attributes.put(SUBJECT, event.aggregateId());
        attributes.put(AGGREGATE_TYPE, event.aggregateType());
        attributes.put(SEQUENCE, Long.toString(event.sequence()));
        attributes.put(SCHEMA_VERSION, Integer.toString(event.schemaVersion()));
        return attributes;
    }
}
