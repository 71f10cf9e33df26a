package dev.outbox.spring.autoconfigure.events;

import dev.outbox.OutboxConfigurationException;

/** The application's multicaster would lose events silently. */
final class UnsuitableMulticasterException extends OutboxConfigurationException {

    private static final long serialVersionUID = 1L;

    UnsuitableMulticasterException(Class<?> multicaster, boolean suppressing) {
        super(
                "the ApplicationEventMulticaster " + multicaster.getName()
                        + (suppressing
                                ? " suppresses the exceptions of listeners"
                                : " calls listeners on another thread, where the transaction is missing")
                        + ", so an @Outboxed event that cannot be stored would be lost silently",
                null);
    }
}
