package dev.outbox.messaging.internal.channel;

import dev.outbox.forwarding.autoconfigure.RouteSettings;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Route: which events go to a message channel. The event types, aggregate types and streams select the events; an event must match each of
 * them that is set.
 *
 * @param eventTypes Event types whose events go to the channel.
 * @param aggregateTypes Aggregate types whose events go to the channel.
 * @param streams Streams whose events go to the channel.
 * @param channel Name of the MessageChannel bean.
 * @param confirmation How the channel confirms that a message is delivered. Required.
 * @param acknowledgements Names of the SubscribableChannel beans on which acknowledgements and failures arrive.
 * @param acknowledgementTimeout How long an acknowledgement may take. Longer than what is behind the channel tries to send a message.
 * @param forwardReceived Whether to forward events that an inbox has received.
 * @param aliases Former names of the route.
 */
public record ChannelRoute(
        @DefaultValue Set<String> eventTypes,
        @DefaultValue Set<String> aggregateTypes,
        @DefaultValue Set<String> streams,
        @DefaultValue("") String channel,
        @Nullable Confirmation confirmation,
        @DefaultValue List<String> acknowledgements,
        @DefaultValue("30s") Duration acknowledgementTimeout,
        @DefaultValue("false") boolean forwardReceived,
        @DefaultValue List<String> aliases)
        implements RouteSettings {

    @Override
    public String destination() {
        return "channel " + channel;
    }

    boolean isAcknowledged() {
        return confirmation == Confirmation.ACKNOWLEDGEMENT;
    }
}
