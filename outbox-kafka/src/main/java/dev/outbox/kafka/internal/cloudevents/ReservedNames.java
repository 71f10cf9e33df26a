package dev.outbox.kafka.internal.cloudevents;

/** Names that records of other services cannot have. */
public final class ReservedNames {

    /** Event type and aggregate type of a record that an inbox refuses or holds back. It is never forwarded. */
    public static final String STORED_RECORD = "outbox.KafkaRecord";

    private ReservedNames() {}
}
