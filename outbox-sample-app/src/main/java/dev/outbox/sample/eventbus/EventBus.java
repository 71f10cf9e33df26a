package dev.outbox.sample.eventbus;

/** Publishes messages of domain code. A different transport is a different implementation. */
public interface EventBus {

    /** Publishes in the caller's transaction: the message exists if and only if the transaction commits. */
    void publish(Message message);
}
