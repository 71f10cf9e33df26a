package dev.outbox.forwarding.internal;

import java.util.concurrent.CompletionStage;

/** Broker of a route. One thread of the destination calls {@link #unit} and {@link #send}, which may block. */
public interface MessageTarget<M> {

    /** Permits sends, when the routes start. */
    default void open() {}

    /** Returns where the message goes, such as a topic. Does not block. */
    String destination(M message);

    /** Returns what fails together with the message: a partition if it is known, or else the destination. Throws if the broker does not tell. */
    Object unit(M message);

    /** Hands the message over, and completes when the broker has acknowledged it. */
    CompletionStage<?> send(M message);

    /** Classifies what {@link #unit} or {@link #send} threw, or how a send completed. */
    Fault classify(M message, Throwable failure);

    /** Replaces the connection, because it no longer answers. Ends calls of {@link #send} that wait for it. Called on any thread. */
    void replace();

    /** Releases what sends need, when the routes have stopped. A handler that still runs gets nothing new. */
    default void close() {}
}
