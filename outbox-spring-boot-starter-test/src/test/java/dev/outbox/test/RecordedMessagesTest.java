package dev.outbox.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.amqp.autoconfigure.RabbitAutoConfiguration;
import org.springframework.boot.amqp.autoconfigure.RabbitConnectionDetails;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Which brokers the kit replaces. */
class RecordedMessagesTest {

    private final ApplicationContextRunner kit = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    OutboxRabbitTesterAutoConfiguration.class,
                    OutboxChannelTesterAutoConfiguration.class,
                    RabbitAutoConfiguration.class));

    @Test
    void rabbitWithoutServiceConnectionIsReplaced() {
        kit.run((context) -> assertThat(context)
                .hasBean("outboxRecordedRabbit")
                .hasBean("outboxRecordedChannels")
                .hasSingleBean(RabbitConnectionDetails.class));
    }

    @Test
    void serviceConnectionIsUsed() {
        kit.withBean(
                        RabbitConnectionDetails.class,
                        () -> () -> List.of(new RabbitConnectionDetails.Address("localhost", 1)))
                .run((context) -> assertThat(context)
                        .doesNotHaveBean("outboxRecordedRabbit")
                        .hasBean("outboxRecordedChannels"));
    }

    @Test
    void channelsNeedNoRabbit() {
        kit.withClassLoader(new FilteredClassLoader("org.springframework.amqp", "com.rabbitmq"))
                .run((context) -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean("outboxRecordedRabbit")
                        .hasBean("outboxRecordedChannels"));
    }

    @Test
    void nothingIsReplacedWithoutRoutes() {
        kit.withClassLoader(new FilteredClassLoader(
                        "dev.outbox.messaging",
                        "dev.outbox.forwarding",
                        "org.springframework.amqp",
                        "org.springframework.messaging"))
                .run((context) -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean("outboxRecordedRabbit")
                        .doesNotHaveBean("outboxRecordedChannels"));
    }
}
