package dev.outbox;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Sets the event type of a payload class, so that the class can be renamed. The outbox stores the event type, and never a class name.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface EventType {

    /**
     * The event type, by convention with a verb in the past tense ({@code PaymentSucceeded}, {@code payment.succeeded}); see
     * {@link EventTypeName} for the rule. If empty, the simple class name.
     *
     * @return the event type
     */
    String value() default "";

    /**
     * The schema version of the payload, stored with each event. At least 1. A handler of this class gets older events through an
     * {@link EventUpcaster}; a newer one is a dead letter. Raise the version only for a change that the older class cannot read.
     *
     * @return the schema version
     */
    int version() default 1;

    /**
     * Whether this class is a copy of another class with the same event type: for example the class of a consuming module, or a class with
     * fewer components for some handlers.
     *
     * <p>Two packages can have classes of the same simple name, whose handlers would silently receive each other's events. Therefore only
     * one class of an event type may leave this {@code false}. An application that handles two such classes does not start
     * ({@link OutboxConfigurationException}), and publishing another one than its handlers take fails ({@link InvalidEventException}). The
     * check compares classes of one process. It ignores types that {@link OutboxHandler#eventTypes()} or {@link OutboxEvent#withEventType} names.
     *
     * @return whether the class is a copy
     */
    boolean copy() default false;
}
