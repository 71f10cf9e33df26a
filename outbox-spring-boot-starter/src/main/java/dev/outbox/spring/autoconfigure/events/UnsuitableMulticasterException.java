package dev.outbox.spring.autoconfigure.events;

import dev.outbox.OutboxConfigurationException;

/** The application's multicaster would lose events silently. */
final class UnsuitableMulticasterException extends OutboxConfigurationException {

    private static final long serialVersionUID = 1L;

    private final String remedy;

    private UnsuitableMulticasterException(Class<?> multicaster, String problem, String remedy) {
        super(
                "the ApplicationEventMulticaster " + multicaster.getName() + " " + problem
                        + ", so an @Outboxed event that cannot be stored would be lost silently",
                null);
        this.remedy = remedy;
    }

    static UnsuitableMulticasterException suppressing(Class<?> multicaster) {
        return new UnsuitableMulticasterException(
                multicaster,
                "suppresses the exceptions of listeners",
                "Let the ErrorHandler rethrow PublishException.");
    }

    static UnsuitableMulticasterException onAnotherThread(Class<?> multicaster) {
        return new UnsuitableMulticasterException(
                multicaster,
                "calls listeners on another thread, where the transaction is missing",
                "Call a listener whose supportsAsyncExecution() is false on the thread that publishes, as"
                        + " SimpleApplicationEventMulticaster does.");
    }

    String remedy() {
        return remedy;
    }
}
