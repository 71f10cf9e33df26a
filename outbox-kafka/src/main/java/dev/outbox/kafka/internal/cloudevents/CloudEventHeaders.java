package dev.outbox.kafka.internal.cloudevents;

import java.util.Set;

/** Names of the record headers that describe an event. */
public final class CloudEventHeaders {

    /** Prefix of the names of all attributes. */
    public static final String PREFIX = "ce_";

    /** Version of CloudEvents: {@link #VERSION}. */
    public static final String SPEC_VERSION = PREFIX + "specversion";

    /** Event id. */
    public static final String ID = PREFIX + "id";

    /** Service that published the event. */
    public static final String SOURCE = PREFIX + "source";

    /** Event type. */
    public static final String TYPE = PREFIX + "type";

    /** When the event happened, in ISO 8601 with the offset {@code Z}. */
    public static final String TIME = PREFIX + "time";

    /** Aggregate id. */
    public static final String SUBJECT = PREFIX + "subject";

    /** Aggregate type. */
    public static final String AGGREGATE_TYPE = PREFIX + "aggregatetype";

    /** Sequence of the event within its aggregate. */
    public static final String SEQUENCE = PREFIX + "sequence";

    /** Schema version of the payload. */
    public static final String SCHEMA_VERSION = PREFIX + "schemaversion";

    /** Media type of the value. */
    public static final String CONTENT_TYPE = "content-type";

    /** Value of {@link #SPEC_VERSION}. */
    public static final String VERSION = "1.0";

    /** Value of {@link #CONTENT_TYPE}. */
    public static final String JSON = "application/json";

    private static final Set<String> ATTRIBUTES =
            Set.of(SPEC_VERSION, ID, SOURCE, TYPE, TIME, SUBJECT, AGGREGATE_TYPE, SEQUENCE, SCHEMA_VERSION);

    private CloudEventHeaders() {}

    /** Returns whether a record header is an attribute, and not a header of the event. */
    public static boolean isAttribute(String name) {
        return ATTRIBUTES.contains(name) || name.equals(CONTENT_TYPE);
    }
}
