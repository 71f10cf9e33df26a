package dev.outbox.kafka.internal.cloudevents;

import java.util.Set;

/** Names of the record headers that describe an event: the subject is the aggregate id, the source the service that published it. */
public final class CloudEventHeaders {

    public static final String SPEC_VERSION = "ce_specversion";
    public static final String ID = "ce_id";
    public static final String SOURCE = "ce_source";
    public static final String TYPE = "ce_type";
    public static final String TIME = "ce_time";
    public static final String SUBJECT = "ce_subject";
    public static final String AGGREGATE_TYPE = "ce_aggregatetype";
    public static final String SEQUENCE = "ce_sequence";
    public static final String SCHEMA_VERSION = "ce_schemaversion";
    public static final String CONTENT_TYPE = "content-type";

    /** All headers of the event as one JSON object: the column of the table, as change-data capture sends it. */
    public static final String OUTBOX_HEADERS = "outbox_headers";

    /** Value of {@link #SPEC_VERSION}. */
    public static final String VERSION = "1.0";

    /** Value of {@link #CONTENT_TYPE}. */
    public static final String JSON = "application/json";

    private static final Set<String> ATTRIBUTES = Set.of(
            SPEC_VERSION, ID, SOURCE, TYPE, TIME, SUBJECT, AGGREGATE_TYPE, SEQUENCE, SCHEMA_VERSION, OUTBOX_HEADERS);

    private CloudEventHeaders() {}

    /** Returns whether a record header is an attribute, and not a header of the event. */
    public static boolean isAttribute(String name) {
        return ATTRIBUTES.contains(name) || name.equals(CONTENT_TYPE);
    }
}
