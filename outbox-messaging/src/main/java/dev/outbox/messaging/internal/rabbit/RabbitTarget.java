package dev.outbox.messaging.internal.rabbit;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.BlockedListener;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.ShutdownSignalException;
import dev.outbox.NonRetryableException;
import dev.outbox.forwarding.internal.Fault;
import dev.outbox.forwarding.internal.Fault.Scope;
import dev.outbox.forwarding.internal.MessageTarget;
import dev.outbox.internal.failure.Causes;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springframework.amqp.core.ReturnedMessage;
import org.springframework.amqp.rabbit.connection.AbstractConnectionFactory;
import org.springframework.amqp.rabbit.connection.ChannelProxy;
import org.springframework.amqp.rabbit.connection.Connection;
import org.springframework.amqp.rabbit.connection.ConnectionFactory;
import org.springframework.amqp.rabbit.connection.CorrelationData;
import org.springframework.amqp.rabbit.connection.RabbitUtils;
import org.springframework.amqp.rabbit.core.RabbitTemplate;

/**
 * RabbitMQ, through a template of the application. Each exchange has a channel, which stays open: the template itself would take another one for
 * each message that is not confirmed yet.
 */
public final class RabbitTarget implements MessageTarget<RabbitMessage> {

    private static final Pattern TOO_LARGE = Pattern.compile("larger than configured max size (\\d+)");

    private final RabbitTemplate template;
    private final ConnectionFactory connections;
    private final boolean ownConnection;
    private final Map<String, OpenChannel> channels = new ConcurrentHashMap<>();
    private final Sockets sockets = new Sockets();

    /** Channels on which a thread writes. */
    private final Set<Channel> writing = ConcurrentHashMap.newKeySet();

    private volatile @Nullable Alarm alarm;

    public RabbitTarget(RabbitTemplate template) {
        this.template = template;
        ConnectionFactory application = template.getConnectionFactory();
        ConnectionFactory publishers = application.getPublisherConnectionFactory();
        this.ownConnection = publishers != null;
        this.connections = publishers == null ? application : publishers;
        if (connections instanceof AbstractConnectionFactory factory) {
            sockets.watch(factory.getRabbitConnectionFactory());
        }
    }

    /** Channel of an exchange. The template publishes on the proxy, which may replace a closed target by another one. */
    private record OpenChannel(ChannelProxy proxy, Channel target) {}

    /** Connection that an alarm of the broker may block. */
    private static final class Alarm implements BlockedListener {

        private final com.rabbitmq.client.Connection connection;
        private volatile @Nullable String reason;

        Alarm(com.rabbitmq.client.Connection connection) {
            this.connection = connection;
        }

        @Override
        public void handleBlocked(String blockedBy) {
            reason = blockedBy;
        }

        @Override
        public void handleUnblocked() {
            reason = null;
        }
    }

    /** How a message failed. */
    private static final class Unconfirmed extends RuntimeException {

        private static final long serialVersionUID = 1L;

        private final transient Fault fault;

        Unconfirmed(Fault fault) {
            super(fault.cause());
            this.fault = fault;
        }

        static Unconfirmed of(Scope scope, String message, @Nullable Throwable cause) {
            return new Unconfirmed(Fault.ofEnvironment(scope, message, cause));
        }
    }

    @Override
    public void open() {}

    /** Closes the sockets from which the broker takes nothing: their connections could not close, and nothing waits for what they still hold. */
    @Override
    public void close() {
        writing.forEach((channel) -> sockets.close(channel.getConnection()));
        Alarm watched = alarm;
        if (watched != null && ownConnection && blockedBy() != null) {
            sockets.close(watched.connection);
        }
        channels.keySet().forEach(this::discard);
    }

    @Override
    public String destination(RabbitMessage message) {
        return RabbitMessage.name(message.exchange());
    }

    @Override
    public Object unit(RabbitMessage message) {
        String reason = blockedBy();
        if (reason != null) {
            throw Unconfirmed.of(Scope.CONNECTION, "RabbitMQ blocks publishers, because it is " + reason, null);
        }
        return message.unit();
    }

    /** Returns the alarm during which the broker reads nothing from the connection. */
    private @Nullable String blockedBy() {
        Alarm watched = alarm;
        return watched == null || !watched.connection.isOpen() ? null : watched.reason;
    }

    @Override
    public CompletionStage<?> send(RabbitMessage message) {
        OpenChannel channel = channel(message.exchange());
        CorrelationData confirmation = new CorrelationData();
        CompletionStage<?> end = confirmation.getFuture().thenApply((confirm) -> {
            Unconfirmed failure = failure(message, channel.target(), confirmation, confirm);
            if (failure != null) {
                throw failure;
            }
            return confirm;
        });
        publish(message, channel, confirmation);
        return end;
    }

    private void publish(RabbitMessage message, OpenChannel channel, CorrelationData confirmation) {
        long number = channel.target().getNextPublishSeqNo();
        writing.add(channel.target());
        try {
            template.doSend(
                    channel.proxy(), message.exchange(), message.routingKey(), message.message(), true, confirmation);
        } catch (RuntimeException ex) {
            if (!channel.target().isOpen()
                    || Causes.anyMatch(
                            ex, (cause) -> cause instanceof IOException || cause instanceof ShutdownSignalException)) {
                throw lost(message, channel.target(), ex);
            }
            if (channel.target().getNextPublishSeqNo() != number) {
                // The client counts what it did not send, so the broker's confirmations would be those of other
                // messages.
                discard(message.exchange());
            }
            throw ex;
        } finally {
            writing.remove(channel.target());
        }
    }

    private OpenChannel channel(String exchange) {
        OpenChannel known = channels.get(exchange);
        if (known != null && known.target().isOpen()) {
            return known;
        }
        discard(exchange);
        OpenChannel opened = open(exchange);
        channels.put(exchange, opened);
        return opened;
    }

    private synchronized OpenChannel open(String exchange) {
        try {
            Connection connection = connections.createConnection();
            ChannelProxy proxy = (ChannelProxy) connection.createChannel(false);
            template.addListener(proxy);
            watch(proxy.getTargetChannel().getConnection());
            return new OpenChannel(proxy, proxy.getTargetChannel());
        } catch (RuntimeException ex) {
            throw Unconfirmed.of(
                    Scope.CONNECTION,
                    "cannot open a channel for " + RabbitMessage.name(exchange) + ": " + reason(ex),
                    ex);
        }
    }

    private void watch(com.rabbitmq.client.Connection connection) {
        if (alarm == null || alarm.connection != connection) {
            Alarm watched = new Alarm(connection);
            connection.addBlockedListener(watched);
            alarm = watched;
        }
    }

    /** Closes the channel of an exchange. Its open messages fail, and are sent again. */
    private void discard(String exchange) {
        OpenChannel channel = channels.remove(exchange);
        if (channel != null) {
            RabbitUtils.setPhysicalCloseRequired(channel.proxy(), true);
            RabbitUtils.closeChannel(channel.proxy());
        }
    }

    /** Returns how a message failed, or {@code null} if the broker has it. It returns a message before it confirms it. */
    private static @Nullable Unconfirmed failure(
            RabbitMessage message, Channel channel, CorrelationData confirmation, CorrelationData.Confirm confirm) {
        ReturnedMessage returned = confirmation.getReturned();
        if (returned != null) {
            return Unconfirmed.of(
                    Scope.UNIT,
                    "no queue takes a message to " + message.address() + ": " + returned.getReplyText() + " ("
                            + returned.getReplyCode() + ")",
                    null);
        }
        if (confirm.ack()) {
            return null;
        }
        return confirm.reason() == null
                ? Unconfirmed.of(
                        Scope.MESSAGE,
                        "RabbitMQ refused a message to " + message.address()
                                + ": a queue is full, or could not store it",
                        null)
                : lost(message, channel, null);
    }

    /** Tells by the reason of a closed channel what is at fault. */
    private static Unconfirmed lost(RabbitMessage message, Channel channel, @Nullable Throwable failure) {
        ShutdownSignalException closed = channel.getCloseReason();
        if (closed == null || !(closed.getReason() instanceof AMQP.Channel.Close reason)) {
            Throwable cause = failure == null ? closed : failure;
            return Unconfirmed.of(
                    Scope.CONNECTION,
                    "lost the connection to RabbitMQ: " + (cause == null ? "it is closed" : reason(cause)),
                    cause);
        }
        String text = "RabbitMQ refused a message to " + message.address() + ": " + reason.getReplyText();
        Matcher limit = TOO_LARGE.matcher(reason.getReplyText());
        boolean tooLarge = limit.find();
        if (tooLarge && message.message().getBody().length > Long.parseLong(Objects.requireNonNull(limit.group(1)))) {
            return new Unconfirmed(new Fault(new NonRetryableException(text, closed), Scope.MESSAGE));
        }
        if (tooLarge || closed.isInitiatedByApplication()) {
            return Unconfirmed.of(Scope.MESSAGE, "sent again, because another message has closed the channel", closed);
        }
        return Unconfirmed.of(Scope.DESTINATION, text, closed);
    }

    /** Returns the innermost cause: it has the text of the broker, and the client's own exceptions are often without any. */
    private static String reason(Throwable failure) {
        Throwable[] innermost = {failure};
        Causes.anyMatch(failure, (cause) -> {
            innermost[0] = cause;
            return false;
        });
        return innermost[0] instanceof ShutdownSignalException closed
                        && closed.getReason() instanceof AMQP.Connection.Close close
                ? close.getReplyText()
                : innermost[0].toString();
    }

    @Override
    public Fault classify(RabbitMessage message, Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof Unconfirmed unconfirmed ? unconfirmed.fault : new Fault(failure, Scope.MESSAGE);
    }

    /**
     * Closes the channels, and the connection unless the application receives on it. Another connection would not be blocked until it has
     * messages that arrive twice.
     */
    @Override
    public void replace() {
        if (blockedBy() != null) {
            return;
        }
        close();
        if (ownConnection) {
            connections.resetConnection();
        }
    }
}
