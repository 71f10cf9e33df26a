package dev.outbox.console.autoconfigure;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties of the console.
 *
 * @param enabled Whether the application serves the console.
 * @param path Path below the context path; it precedes the application's own controllers.
 * @param insecure Whether to serve the console without Spring Security. Anybody who can reach the application can then use it.
 * @param showPayloads Whether pages show payloads, headers and the trace id. The database role needs the privileges of a worker.
 */
@ConfigurationProperties(prefix = "outbox.console")
public record OutboxConsoleProperties(
        @DefaultValue("false") boolean enabled,
        @DefaultValue("/outbox") String path,
        @DefaultValue("false") boolean insecure,
        @DefaultValue("false") boolean showPayloads) {}
