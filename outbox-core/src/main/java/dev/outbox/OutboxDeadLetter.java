package dev.outbox;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a bean method that the outbox calls with each dead letter of one or several handlers, whatever the reason: failed attempts, a
 * timeout, a crash loop, an unreadable payload or an expired registration. The method returns {@code void} and takes a {@link DeadLetter}.
 *
 * <p>A background thread calls the method in a transaction of the outbox's {@code DataSource}, which also marks the dead letter as handled.
 * What the method changes in this database, and the events that it publishes, commit exactly once per dead letter. If the method throws or
 * the commit fails, everything rolls back, and the outbox calls the method again. It first waits for the time that has passed since the
 * last attempt of the delivery, but at least a second and at most an hour. The transaction has a timeout of 30 seconds. The method must be
 * short and must not call other systems; to do so, publish an event and handle it.
 *
 * <p>Dead letters arrive in no particular order, about a second after the delivery died, in an instance that has the method and polls
 * events. If an operator retries or skips the delivery first, its dead letter no longer exists, and the method is not called. A delivery
 * that dies again after a retry is a new dead letter. A new method receives the existing dead letters of its handlers, too.
 */
@Documented
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface OutboxDeadLetter {

    /**
     * The ids of the handlers, at least one. Each handler has at most one such method.
     *
     * @return the handler ids
     */
    String[] value();
}
