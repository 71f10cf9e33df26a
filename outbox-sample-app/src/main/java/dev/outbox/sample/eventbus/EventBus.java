package dev.outbox.sample.eventbus;

/** Takes what domain code has to tell. Another transport is another implementation; the domain does not change. */
public interface EventBus {

    /** Publishes in the transaction of the caller: the message exists if and only if that commits. */
    void publish(Message message);
}
