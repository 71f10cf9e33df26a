package dev.outbox.messaging.internal.channel;

import org.springframework.beans.DirectFieldAccessor;
import org.springframework.integration.channel.AbstractExecutorChannel;
import org.springframework.integration.channel.ExecutorChannel;
import org.springframework.integration.channel.FluxMessageChannel;
import org.springframework.integration.channel.NullChannel;
import org.springframework.integration.channel.PartitionedChannel;
import org.springframework.integration.channel.QueueChannel;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.support.ExecutorSubscribableChannel;
import org.springframework.util.ClassUtils;

/** Knows the channels of Spring whose send method never waits for the hand-over. */
final class AsynchronousChannels {

    private static final boolean INTEGRATION = ClassUtils.isPresent(
            "org.springframework.integration.channel.QueueChannel", AsynchronousChannels.class.getClassLoader());

    private AsynchronousChannels() {}

    /** Returns whether the class of a channel tells that it passes messages to another thread, or drops them. */
    static boolean contains(MessageChannel channel) {
        if (channel instanceof ExecutorSubscribableChannel executor) {
            return executor.getExecutor() != null;
        }
        return INTEGRATION && OfIntegration.contains(channel);
    }

    /** Those of Spring Integration, which an application need not have. */
    private static final class OfIntegration {

        private static boolean contains(MessageChannel channel) {
            return channel instanceof QueueChannel
                    || channel instanceof ExecutorChannel
                    || channel instanceof PartitionedChannel
                    || channel instanceof FluxMessageChannel
                    || channel instanceof NullChannel
                    || (channel instanceof AbstractExecutorChannel && hasExecutor(channel));
        }

        /** A publish-subscribe channel may have an executor, which it does not show. */
        private static boolean hasExecutor(MessageChannel channel) {
            DirectFieldAccessor fields = new DirectFieldAccessor(channel);
            return fields.isReadableProperty("executor") && fields.getPropertyValue("executor") != null;
        }
    }
}
