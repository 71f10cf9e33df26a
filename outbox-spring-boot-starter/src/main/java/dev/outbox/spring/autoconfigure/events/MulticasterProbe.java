package dev.outbox.spring.autoconfigure.events;

import dev.outbox.InvalidTransactionException;
import org.springframework.context.ApplicationEvent;

/** Event that the outbox refuses, to find out what the application's multicaster does with the exception. */
final class MulticasterProbe extends ApplicationEvent {

    private static final long serialVersionUID = 1L;

    private final InvalidTransactionException refusal =
            new InvalidTransactionException("the outbox checks the multicaster of the application");

    private final transient Thread publisher = Thread.currentThread();

    private volatile boolean reachedOnPublishingThread;

    MulticasterProbe(Object source) {
        super(source);
    }

    /** Records the thread of the listener, and returns the exception to throw. */
    InvalidTransactionException refuse() {
        reachedOnPublishingThread = Thread.currentThread() == publisher;
        return refusal;
    }

    boolean isReachedOnPublishingThread() {
        return reachedOnPublishingThread;
    }

    boolean isCauseOf(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause == refusal) {
                return true;
            }
        }
        return false;
    }
}
