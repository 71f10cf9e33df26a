package dev.outbox.forwarding.autoconfigure;

import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;

/** Configures what the routes to all brokers share, in an application that has an outbox. */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnBean(OutboxRuntime.class)
@EnableConfigurationProperties(OutboxForwardingProperties.class)
public final class OutboxForwardingAutoConfiguration {}
