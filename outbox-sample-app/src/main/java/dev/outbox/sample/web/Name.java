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

/** Requires 1 to 64 letters, digits, hyphens or underscores: what names of guilds, users and plans consist of. */
@Documented
@Target({ElementType.FIELD, ElementType.PARAMETER, ElementType.RECORD_COMPONENT, ElementType.TYPE_USE})
@Retention(RetentionPolicy.RUNTIME)
@Constraint(validatedBy = {})
@NotNull
@Pattern(regexp = "[A-Za-z0-9_-]{1,64}")
@ReportAsSingleViolation
public @interface Name {

    /** What is wrong. */
    String message() default "must be 1 to 64 letters, digits, '-' or '_'";

    /** The groups that the constraint belongs to. */
    Class<?>[] groups() default {};

    /** What a client of the validator may attach. */
    Class<? extends Payload>[] payload() default {};
}
