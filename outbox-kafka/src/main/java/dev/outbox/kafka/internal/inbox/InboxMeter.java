package dev.outbox.kafka.internal.inbox;

/** Counts what became of the records of an inbox. */
public interface InboxMeter {

    /** Counts nothing. */
    InboxMeter NONE = (inbox, result, records) -> {};

    /** What became of a record. */
    enum Result {
        /** Its event is stored. */
        RECEIVED,
        /** Its event was stored before, arrived late or has an ignored type. */
        DROPPED,
        /** It is a dead letter. */
        REFUSED,
        /** It waits for its predecessor. */
        HELD
    }

    /** Counts records after the commit. */
    void count(String inbox, Result result, long records);
}
