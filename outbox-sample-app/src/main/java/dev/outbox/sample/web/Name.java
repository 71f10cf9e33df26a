package dev.outbox.sample.web;

import jakarta.validation.Constraint;
import jakarta.validation.Payload;
import jakarta.validation.ReportAsSingleViolation;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Requires a name of 1 to 64 letters, digits, hyphens or underscores. */
@Documented
@Target({ElementType.FIELD, ElementType.PARAMETER, ElementType.RECORD_COMPONENT, ElementType.TYPE_USE})
@Retention(RetentionPolicy.RUNTIME)
@Constraint(validatedBy = {})
@NotNull
@Pattern(regexp = "[A-Za-z0-9_-]{1,64}")
@ReportAsSingleViolation
public @interface Name {

    /** Returns the message. */
    String message() default "must be 1 to 64 letters, digits, '-' or '_'";

    /** Returns the groups of the constraint. */
    Class<?>[] groups() default {};

    /** Returns the payload of the constraint. */
    Class<? extends Payload>[] payload() default {};
}
