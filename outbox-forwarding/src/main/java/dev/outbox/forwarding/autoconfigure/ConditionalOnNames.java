package dev.outbox.forwarding.autoconfigure;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.context.annotation.Conditional;

/** Matches an application that names something below a prefix, such as a route. */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Conditional(OnNames.class)
public @interface ConditionalOnNames {

    /** Returns the prefix. */
    String value();
}
