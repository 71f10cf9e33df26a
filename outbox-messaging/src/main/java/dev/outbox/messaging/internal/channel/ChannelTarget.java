package dev.outbox.messaging.internal.channel;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.forwarding.internal.Fault;
import dev.outbox.forwarding.internal.MessageTarget;
import dev.outbox.forwarding.internal.NamedBean;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.MessageDeliveryException;
import org.springframework.messaging.SubscribableChannel;

/** Message channels. Each fails as a whole, because what is behind it cannot be seen. */
public final class ChannelTarget implements MessageTarget<ChannelMessage> {

    private static final String PREFIX = "outbox.channel.routes.";

    private final Map<String, ChannelRoute> routes;
    private final BeanFactory beans;
    private final Acknowledgements acknowledgements = new Acknowledgements();
    private final Map<String, SubscribableChannel> subscribed = new HashMap<>();
    private volatile Map<String, MessageChannel> channels = Map.of();

    /** Creates the target of routes by name, whose channels are looked for when the routes start. */
    public ChannelTarget(Map<String, ChannelRoute> routes, BeanFactory beans) {
        this.routes = new LinkedHashMap<>(routes);
        this.beans = beans;
    }

    /** Refuses a route that does not say enough to know when an event is delivered. */
    public static void check(String name, ChannelRoute route) {
        String property = PREFIX + name;
        if (route.channel().isBlank()) {
            throw new OutboxConfigurationException(
                    property + ".channel is not set; name the MessageChannel bean of the route");
        }
        if (route.confirmation() == null) {
            throw new OutboxConfigurationException(property + ".confirmation is not set; no class tells whether the"
                    + " send method of a channel returns after the hand-over to the broker. Set synchronous if it does,"
                    + " or acknowledgement if another channel reports what was handed over");
        }
        if (route.isAcknowledged() && route.acknowledgements().isEmpty()) {
            throw new OutboxConfigurationException(property
                    + ".acknowledgements is not set; name the channels on which acknowledgements and failures arrive");
        }
        if (!route.isAcknowledged() && !route.acknowledgements().isEmpty()) {
            throw new OutboxConfigurationException(
                    property + ".confirmation is synchronous, so nothing awaits its"
                            + " acknowledgements; set acknowledgement, or remove acknowledgements if send returns after the hand-over");
        }
    }

    /** Some channels become beans only when a flow or a binder starts to use them. */
    @Override
    public void open() {
        Map<String, MessageChannel> found = new HashMap<>();
        routes.forEach((name, route) -> {
            MessageChannel channel =
                    NamedBean.get(beans, PREFIX + name + ".channel", route.channel(), MessageChannel.class);
            if (!route.isAcknowledged() && AsynchronousChannels.contains(channel)) {
                throw new OutboxConfigurationException(PREFIX + name + ".confirmation is synchronous, but channel "
                        + route.channel() + " is a " + channel.getClass().getSimpleName()
                        + " that returns before it hands a message over; use a channel that calls its subscriber, such as"
                        + " a DirectChannel, or set acknowledgement");
            }
            found.put(route.channel(), channel);
            if (route.isAcknowledged()) {
                route.acknowledgements().forEach((acknowledging) -> subscribe(name, acknowledging));
            }
        });
        channels = found;
    }

    private void subscribe(String route, String name) {
        if (subscribed.containsKey(name)) {
            return;
        }
        MessageChannel channel = NamedBean.get(beans, PREFIX + route + ".acknowledgements", name, MessageChannel.class);
        if (!(channel instanceof SubscribableChannel subscribable)) {
            throw new OutboxConfigurationException(PREFIX + route + ".acknowledgements names channel " + name
                    + ", which is a " + channel.getClass().getSimpleName()
                    + " without subscribers; name a SubscribableChannel, such as a PublishSubscribeChannel");
        }
        subscribable.subscribe(acknowledgements);
        subscribed.put(name, subscribable);
    }

    @Override
    public void close() {
        channels = Map.of();
        subscribed.values().forEach((channel) -> channel.unsubscribe(acknowledgements));
        subscribed.clear();
    }

    @Override
    public String destination(ChannelMessage message) {
        return message.route().channel();
    }

    @Override
    public Object unit(ChannelMessage message) {
        return message.route().channel();
    }

    @Override
    public CompletionStage<?> send(ChannelMessage message) {
        ChannelRoute route = message.route();
        if (!route.isAcknowledged()) {
            handOver(message);
            return CompletableFuture.completedStage(message);
        }
        CompletableFuture<?> acknowledged = acknowledgements.expect(message.delivery(), route.acknowledgementTimeout());
        try {
            handOver(message);
        } catch (Throwable ex) {
            acknowledged.completeExceptionally(ex);
        }
        return acknowledged;
    }

    private void handOver(ChannelMessage message) {
        MessageChannel channel = channels.get(message.route().channel());
        if (channel == null) {
            throw new MessageDeliveryException("the application stops");
        }
        if (!channel.send(message.message())) {
            throw new MessageDeliveryException("its send method returned false");
        }
    }

    @Override
    public Fault classify(ChannelMessage message, Throwable failure) {
        return ChannelFailure.of(message.route().channel(), failure);
    }

    /** Does nothing: the connections behind a channel belong to the application. */
    @Override
    public void replace() {}
}
