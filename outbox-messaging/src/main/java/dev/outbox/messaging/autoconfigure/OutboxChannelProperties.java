package dev.outbox.messaging.autoconfigure;

import dev.outbox.messaging.internal.channel.ChannelRoute;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Configuration properties of the routes to message channels.
 *
 * @param routes Routes by name. Each forwards the events that it selects to a MessageChannel.
 */
@ConfigurationProperties(prefix = "outbox.channel")
public record OutboxChannelProperties(@DefaultValue Map<String, ChannelRoute> routes) {}
