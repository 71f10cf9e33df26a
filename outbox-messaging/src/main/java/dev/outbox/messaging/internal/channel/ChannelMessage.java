package dev.outbox.messaging.internal.channel;

import org.springframework.messaging.Message;

/**
 * Message of a route.
 *
 * @param delivery names the route and the event, so that an acknowledgement finds them
 */
public record ChannelMessage(ChannelRoute route, String delivery, Message<?> message) {}
