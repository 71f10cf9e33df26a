package dev.outbox.sample.eventbus.kafka;

import dev.outbox.sample.eventbus.Streams;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.NewTopic;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.kafka.config.TopicBuilder;
import org.springframework.kafka.core.KafkaAdmin;

/** Creates the topics: one for each stream, and one for the events that become pushes. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "sample.transport", havingValue = "kafka")
final class Topics {

    private static final int PARTITIONS = 3;

    Topics(@Value("${sample.service:}") String service) {
        if (service.isEmpty()) {
            throw new IllegalStateException("sample.transport=kafka divides the service into two processes:"
                    + " set spring.profiles.active=web for one, and spring.profiles.active=worker for the other");
        }
    }

    @Bean
    KafkaAdmin.NewTopics newTopics() {
        return new KafkaAdmin.NewTopics(Stream.of(
                        Streams.TRADE_COMMAND,
                        Streams.TRADE_EVENT,
                        Streams.BACKTEST_COMMAND,
                        Streams.BACKTEST_EVENT,
                        Streams.SYSTEM_EVENT,
                        "umbra.push")
                .map((name) -> TopicBuilder.name(name).partitions(PARTITIONS).build())
                .toArray(NewTopic[]::new));
    }
}
