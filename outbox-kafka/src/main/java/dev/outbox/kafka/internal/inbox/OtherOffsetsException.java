package dev.outbox.kafka.internal.inbox;

/** The database has stored some partitions up to other offsets than the consumer has read. Nothing of the poll is stored. */
final class OtherOffsetsException extends RuntimeException {

    private static final long serialVersionUID = 1;

    OtherOffsetsException(String message) {
        super(message);
    }
}
