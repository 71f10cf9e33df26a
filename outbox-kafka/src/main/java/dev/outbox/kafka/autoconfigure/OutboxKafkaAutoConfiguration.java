package dev.outbox.kafka.autoconfigure;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.forwarding.autoconfigure.ConditionalOnNames;
import dev.outbox.forwarding.autoconfigure.OutboxForwardingAutoConfiguration;
import dev.outbox.forwarding.autoconfigure.RouteHandlers;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import dev.outbox.spring.autoconfigure.operations.OutboxOperationsAutoConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.kafka.core.ProducerFactory;

/** Configures the routes and inboxes of an application that has an outbox. */
@AutoConfiguration(
        after = {
            OutboxAutoConfiguration.class,
            OutboxForwardingAutoConfiguration.class,
            OutboxOperationsAutoConfiguration.class,
            KafkaAutoConfiguration.class
        })
@ConditionalOnClass(ProducerFactory.class)
@ConditionalOnBean(OutboxRuntime.class)
@EnableConfigurationProperties(OutboxKafkaProperties.class)
@Import({ForwarderConfiguration.class, OutboxKafkaInboxConfiguration.class, KafkaRoutes.class, InboxHandlers.class})
public final class OutboxKafkaAutoConfiguration {

    private static final Logger log = LoggerFactory.getLogger(OutboxKafkaAutoConfiguration.class);

    @Bean
    SmartInitializingSingleton outboxKafkaReport(OutboxKafkaProperties properties, BeanFactory beans) {
        return () -> {
            if (properties.routes().isEmpty() && properties.inboxes().isEmpty()) {
                log.info(
                        "Neither outbox.kafka.routes nor outbox.kafka.inboxes is set: events do not go to or come from Kafka");
            }
            RouteHandlers.require(beans, KafkaRoutes.KAFKA, properties.routes().keySet());
            properties
                    .inboxes()
                    .keySet()
                    .forEach((name) -> RouteHandlers.require(
                            beans, InboxHandlers.BEAN + name, ConfiguredInboxes.PREFIX + "." + name));
        };
    }

    /** Fails the start before an inbox needs what is not there. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnNames(ConfiguredInboxes.PREFIX)
    @ConditionalOnMissingBean(type = "dev.outbox.operations.internal.OperationsRuntime")
    static class InboxesWithoutOperations {

        @Bean
        static BeanFactoryPostProcessor outboxKafkaInboxesWithoutOperations() {
            return (beans) -> {
                throw new OutboxConfigurationException(
                        ConfiguredInboxes.PREFIX + " needs outbox-operations, which this application excludes",
                        "add dev.outbox:outbox-operations with its auto-configuration",
                        null);
            };
        }
    }
}
