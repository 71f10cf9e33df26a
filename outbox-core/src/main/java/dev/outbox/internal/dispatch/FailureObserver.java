package dev.outbox.internal.dispatch;

import dev.outbox.DeadLetter;
import dev.outbox.EventEnvelope;

/** Receives the exceptions of handlers and dead-letter methods, for the test kit. It must not throw. */
public interface FailureObserver {

    /** Observer that ignores every exception. */
    FailureObserver NONE = new FailureObserver() {};

    /** An attempt at an event failed, alone or with its batch. */
    default void handlerFailed(String handlerId, EventEnvelope event, Throwable exception) {}

    /** The dead-letter method of a handler failed, or the commit of its work. */
    default void deadLetterMethodFailed(DeadLetter letter, Throwable exception) {}
}
