package dev.outbox;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the event that a payload class stands for, where the simple class name should not be the name for ever. Only the
 * name is stored; no class name ever is.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
public @interface EventType {

    /**
     * The event type in PascalCase, by convention a verb in the past tense ({@code PaymentSucceeded}); the simple class
     * name if empty.
     *
     * @return the event type
     */
    String value() default "";

    /**
     * The version of the payload's shape, stored with each event. At least 1.
     *
     * @return the schema version
     */
    int version() default 1;

    /**
     * Whether another class stands for the same event type, and this one repeats its contract: the class that a consuming module
     * keeps of another module's event, or a class with fewer components for some handlers.
     *
     * <p>Without it, two classes of one event type would silently get each other's events, usually because two packages have a class
     * of the same simple name. So at most one class of an event type may leave this {@code false}. Another one fails the start of an
     * application that handles both ({@link HandlerConfigurationException}), and is refused when an event of it is published
     * ({@link InvalidEventException}). Only classes of one process are compared; types that are named in
     * {@link OutboxHandler#eventTypes()} or {@link OutboxEvent#withEventType} are chosen on purpose and not compared.
     *
     * @return whether the class is a copy
     */
    boolean copy() default false;
}
