package dev.outbox.spring.autoconfigure.events;

/** Changes that the transaction of the calling thread has not written yet. */
@FunctionalInterface
interface PendingChanges {

    /** Writes the changes, so that the versions of their entities are those of this transaction. */
    void flush();
}
