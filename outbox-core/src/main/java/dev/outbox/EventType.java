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
}
