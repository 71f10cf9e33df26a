package dev.outbox.kafka.internal.cloudevents;

/** A record describes no event that can be stored. The message tells what is missing or wrong. */
public final class UnreadableRecordException extends Exception {

    private static final long serialVersionUID = 1L;

    public UnreadableRecordException(String message) {
        super(message);
    }
}
