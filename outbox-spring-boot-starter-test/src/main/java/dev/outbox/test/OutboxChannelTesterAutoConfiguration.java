package dev.outbox.test;

import dev.outbox.messaging.autoconfigure.OutboxChannelAutoConfiguration;
import dev.outbox.messaging.internal.channel.ChannelMessage;
import dev.outbox.messaging.internal.channel.ChannelMessages;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.messaging.Message;
import org.springframework.messaging.MessageChannel;

/** Records what the routes of a test send to message channels. A test that excludes it sends to its channels. */
@AutoConfiguration(before = OutboxChannelAutoConfiguration.class)
@ConditionalOnClass({OutboxChannelAutoConfiguration.class, MessageChannel.class})
public final class OutboxChannelTesterAutoConfiguration {

    @Bean
    RecordedTarget<ChannelMessage> outboxRecordedChannels() {
        return new RecordedTarget<>(OutboxChannelTesterAutoConfiguration::record);
    }

    private static ForwardedRecord record(ChannelMessage sent) {
        Message<?> message = sent.message();
        return RecordedTarget.record(
                sent.route().channel(),
                message.getHeaders().get(ChannelMessages.GROUP, String.class),
                String.valueOf(message.getPayload()),
                message.getHeaders());
    }
}
