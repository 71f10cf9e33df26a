package dev.outbox;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.beans.factory.annotation.Qualifier;

/**
 * Selects the {@code JsonMapper} that writes and reads stored payloads. It is independent of {@code spring.jackson} and of the mapper of
 * the web interface, because its format outlives a deployment: see {@link PayloadFormat}.
 *
 * <p>On a {@code @Bean} method, it replaces the mapper of the outbox. Such a bean is injected only where this annotation asks for it, and
 * Spring Boot still configures the mapper of the web interface. On an injection point, it selects the mapper of the outbox.
 */
@Documented
@Qualifier
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
public @interface OutboxMapper {}
