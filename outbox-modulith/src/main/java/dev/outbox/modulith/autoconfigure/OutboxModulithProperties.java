package dev.outbox.modulith.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings for Spring Modulith.
 *
 * @param listeners Whether the outbox calls module listeners of stored events, as handlers, instead of Spring Modulith.
 */
@ConfigurationProperties("outbox.modulith")
public record OutboxModulithProperties(
        @DefaultValue("false") boolean listeners) {}
