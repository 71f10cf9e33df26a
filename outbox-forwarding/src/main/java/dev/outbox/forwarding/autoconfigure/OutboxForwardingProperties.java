package dev.outbox.forwarding.autoconfigure;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * Configuration properties of the routes to all brokers.
 *
 * @param source Source of forwarded events, a URI reference: the CloudEvents attribute "source". Required if there is a route; the same in every process of a service.
 */
@ConfigurationProperties(prefix = "outbox.forwarding")
public record OutboxForwardingProperties(@Nullable String source) {}
