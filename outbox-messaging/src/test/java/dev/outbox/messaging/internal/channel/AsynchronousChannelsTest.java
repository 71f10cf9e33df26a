package dev.outbox.messaging.internal.channel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.integration.channel.DirectChannel;
import org.springframework.integration.channel.ExecutorChannel;
import org.springframework.integration.channel.FluxMessageChannel;
import org.springframework.integration.channel.NullChannel;
import org.springframework.integration.channel.PartitionedChannel;
import org.springframework.integration.channel.PublishSubscribeChannel;
import org.springframework.integration.channel.QueueChannel;
import org.springframework.integration.channel.RendezvousChannel;
import org.springframework.messaging.MessageChannel;
import org.springframework.messaging.support.ExecutorSubscribableChannel;

class AsynchronousChannelsTest {

    static Stream<MessageChannel> asynchronous() {
        return Stream.of(
                new QueueChannel(),
                new RendezvousChannel(),
                new ExecutorChannel(Runnable::run),
                new PartitionedChannel(2),
                new FluxMessageChannel(),
                new NullChannel(),
                new PublishSubscribeChannel(Runnable::run),
                new ExecutorSubscribableChannel(Runnable::run));
    }

    @ParameterizedTest
    @MethodSource("asynchronous")
    void channelThatPassesMessagesOnIsAsynchronous(MessageChannel channel) {
        assertThat(AsynchronousChannels.contains(channel)).isTrue();
    }

    static Stream<MessageChannel> others() {
        return Stream.of(
                new DirectChannel(),
                new PublishSubscribeChannel(),
                new ExecutorSubscribableChannel(),
                (message, timeout) -> true);
    }

    @ParameterizedTest
    @MethodSource("others")
    void channelThatCallsItsSubscribersIsNot(MessageChannel channel) {
        assertThat(AsynchronousChannels.contains(channel)).isFalse();
    }
}
