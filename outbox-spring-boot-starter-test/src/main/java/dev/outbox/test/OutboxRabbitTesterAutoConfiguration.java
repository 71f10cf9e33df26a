package dev.outbox.test;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.outbox.messaging.autoconfigure.OutboxRabbitAutoConfiguration;
import dev.outbox.messaging.internal.rabbit.RabbitMessage;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.core.RabbitTemplate;
import org.springframework.amqp.support.SimpleAmqpHeaderMapper;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Records what the routes of a test send to RabbitMQ, unless the test has a broker: a service connection. */
@AutoConfiguration(
        before = OutboxRabbitAutoConfiguration.class,
        beforeName = "org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration")
@ConditionalOnClass({OutboxRabbitAutoConfiguration.class, RabbitTemplate.class})
@ConditionalOnMissingBean(type = "org.springframework.boot.amqp.autoconfigure.RabbitConnectionDetails")
public final class OutboxRabbitTesterAutoConfiguration {

    @Bean
    RecordedTarget<RabbitMessage> outboxRecordedRabbit() {
        return new RecordedTarget<>(OutboxRabbitTesterAutoConfiguration::record);
    }

    private static ForwardedRecord record(RabbitMessage message) {
        Message content = message.message();
        return RecordedTarget.record(
                message.exchange(),
                message.routingKey(),
                new String(content.getBody(), UTF_8),
                new SimpleAmqpHeaderMapper().toHeaders(content.getMessageProperties()));
    }
}
