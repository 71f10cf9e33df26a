package dev.outbox.kafka.internal.cloudevents;

/** Names that records of other services cannot have. */
public final class ReservedNames {

    /** Event type and aggregate type of a record that an inbox refuses or holds back. No handler of all types gets it. */
    public static final String STORED_RECORD = "outbox.KafkaRecord";

    private ReservedNames() {}
}
