package dev.outbox.spring.autoconfigure.events;

import dev.outbox.InvalidTransactionException;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.internal.failure.Causes;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.context.support.AbstractApplicationContext;

/**
 * Fails the start if the application's multicaster calls the outbox on another thread or suppresses its exceptions: an event that
 * cannot be stored would be lost silently. Multicasts a probe, because a custom multicaster does not tell what it does. Also fails it if a
 * parent context has an outbox too: a context passes each event to its parent, which would store it again.
 */
final class MulticasterCheck implements SmartInitializingSingleton {

    private final ApplicationContext context;

    MulticasterCheck(ApplicationContext context) {
        this.context = context;
    }

    @Override
    public void afterSingletonsInstantiated() {
        ApplicationContext parent = context.getParent();
        if (parent != null
                && BeanFactoryUtils.beanNamesForTypeIncludingAncestors(parent, OutboxedEventListener.class, true, false)
                                .length
                        > 0) {
            throw new OutboxConfigurationException(
                    "this context and a parent of it both have an outbox that stores Spring events, so both would store an"
                            + " @Outboxed event of this context",
                    "set outbox.spring-events.enabled=false in one of them",
                    null);
        }
        String name = AbstractApplicationContext.APPLICATION_EVENT_MULTICASTER_BEAN_NAME;
        if (context.containsLocalBean(name)) {
            check(context.getBean(name, ApplicationEventMulticaster.class));
        }
    }

    private void check(ApplicationEventMulticaster multicaster) {
        Probe probe = new Probe(context);
        try {
            multicaster.multicastEvent(probe);
        } catch (RuntimeException ex) {
            if (Causes.anyMatch(ex, (cause) -> cause == probe.refusal)) {
                return;
            }
            throw ex;
        }
        boolean reached = probe.reachedOnPublishingThread;
        throw new OutboxConfigurationException(
                "the ApplicationEventMulticaster " + multicaster.getClass().getName()
                        + (reached
                                ? " suppresses the exceptions of listeners"
                                : " calls listeners on another thread, where the transaction is missing")
                        + ", so an @Outboxed event that cannot be stored would be lost silently",
                (reached
                                ? "let the ErrorHandler rethrow PublishException"
                                : "call a listener whose supportsAsyncExecution() is false on the thread that publishes, as"
                                        + " SimpleApplicationEventMulticaster does")
                        + "; if the application publishes no @Outboxed event, set outbox.spring-events.enabled=false",
                null);
    }

    /** Event that the outbox refuses, to find out what the application's multicaster does with the exception. */
    static final class Probe extends ApplicationEvent {

        private static final long serialVersionUID = 1L;

        private final InvalidTransactionException refusal =
                new InvalidTransactionException("the outbox checks the multicaster of the application");

        private final transient Thread publisher = Thread.currentThread();

        private volatile boolean reachedOnPublishingThread;

        Probe(Object source) {
            super(source);
        }

        /** Records the thread of the listener, and returns the exception to throw. */
        InvalidTransactionException refuse() {
            reachedOnPublishingThread = Thread.currentThread() == publisher;
            return refusal;
        }
    }
}
