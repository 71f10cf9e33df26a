package dev.outbox.kafka.internal.cloudevents;

import dev.outbox.forwarding.internal.CloudEvents;
import java.util.Set;

/** Names of the record headers that describe an event. */
public final class CloudEventHeaders {

    public static final String PREFIX = "ce_";
    public static final String SPEC_VERSION = PREFIX + CloudEvents.SPEC_VERSION;
    public static final String ID = PREFIX + CloudEvents.ID;
    public static final String SOURCE = PREFIX + CloudEvents.SOURCE;
    public static final String TYPE = PREFIX + CloudEvents.TYPE;
    public static final String TIME = PREFIX + CloudEvents.TIME;
    public static final String SUBJECT = PREFIX + CloudEvents.SUBJECT;
    public static final String AGGREGATE_TYPE = PREFIX + CloudEvents.AGGREGATE_TYPE;
    public static final String SEQUENCE = PREFIX + CloudEvents.SEQUENCE;
    public static final String SCHEMA_VERSION = PREFIX + CloudEvents.SCHEMA_VERSION;
    public static final String CONTENT_TYPE = "content-type";

    /** All headers of the event as one JSON object: the column of the table, as change-data capture sends it. */
    public static final String OUTBOX_HEADERS = "outbox_headers";

    private static final Set<String> ATTRIBUTES = Set.of(
            SPEC_VERSION, ID, SOURCE, TYPE, TIME, SUBJECT, AGGREGATE_TYPE, SEQUENCE, SCHEMA_VERSION, OUTBOX_HEADERS);

    private CloudEventHeaders() {}

    /** Returns whether a record header is an attribute, and not a header of the event. */
    public static boolean isAttribute(String name) {
        return ATTRIBUTES.contains(name) || name.equals(CONTENT_TYPE);
    }
}
