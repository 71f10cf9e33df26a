package dev.outbox.modulith.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings for Spring Modulith.
 *
 * @param listeners Whether the outbox delivers to the {@code @ApplicationModuleListener} methods of events that are {@code @Outboxed} or
 *     {@code @Externalized}.
 */
@ConfigurationProperties("outbox.modulith")
public record OutboxModulithProperties(
        @DefaultValue("false") boolean listeners) {}
