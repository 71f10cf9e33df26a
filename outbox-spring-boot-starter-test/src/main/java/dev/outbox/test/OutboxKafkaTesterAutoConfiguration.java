package dev.outbox.test;

import dev.outbox.kafka.autoconfigure.OutboxKafkaAutoConfiguration;
import dev.outbox.kafka.internal.inbox.Inboxes;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.context.annotation.Bean;

/** Records what the routes of a test send to Kafka, unless the test has a broker: an embedded one, or a service connection. */
@AutoConfiguration(
        before = OutboxKafkaAutoConfiguration.class,
        beforeName = "org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration")
@ConditionalOnClass(OutboxKafkaAutoConfiguration.class)
@ConditionalOnMissingBean(value = KafkaConnectionDetails.class, name = "embeddedKafka")
public final class OutboxKafkaTesterAutoConfiguration {

    @Bean
    RecordedKafka outboxRecordedKafka(ObjectProvider<Inboxes> inboxes) {
        return new RecordedKafka(inboxes::getIfAvailable);
    }
}
