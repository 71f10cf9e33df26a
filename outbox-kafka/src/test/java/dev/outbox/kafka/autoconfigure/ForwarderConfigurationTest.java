package dev.outbox.kafka.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.OutboxConfigurationException;
import dev.outbox.forwarding.autoconfigure.Forwarding;
import dev.outbox.forwarding.autoconfigure.OutboxForwardingProperties;
import dev.outbox.internal.runtime.OutboxDependencies;
import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.kafka.KafkaRecordMapper;
import dev.outbox.kafka.internal.forwarder.ProducerSettings;
import dev.outbox.kafka.internal.forwarder.SharedProducer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.MockProducer;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.ProducerFactory;

/** Configurations of the forwarder that start, and those that do not. Needs no database. */
class ForwarderConfigurationTest {

    private final List<ProducerSettings> created = new ArrayList<>();

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(KafkaAutoConfiguration.class))
            .withUserConfiguration(Forwarder.class)
            .withBean(RuntimeSettings.class, RuntimeSettings::defaults)
            .withBean(SharedProducer.Factory.class, () -> (settings) -> {
                created.add(settings);
                return new SharedProducer(MockProducer::new, () -> {});
            })
            .withBean(
                    Forwarding.class,
                    () -> new Forwarding(
                            new OutboxForwardingProperties("/shop"),
                            RuntimeSettings.defaults(),
                            OutboxDependencies.of(new DriverManagerDataSource("jdbc:postgresql://localhost:1/none")),
                            "shop",
                            (event) -> event))
            .withPropertyValues(
                    "spring.application.name=shop",
                    "spring.kafka.bootstrap-servers=localhost:1",
                    "outbox.kafka.routes.orders.event-types=OrderPlaced",
                    "outbox.kafka.routes.orders.topic=orders");

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties(OutboxKafkaProperties.class)
    @Import(ForwarderConfiguration.class)
    static class Forwarder {}

    @Test
    void weakerAcknowledgementsFailTheStart() {
        application
                .withPropertyValues("spring.kafka.producer.acks=1")
                .run((context) -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(OutboxConfigurationException.class)
                        .hasMessageContaining("acks=1")
                        .hasMessageContaining("outbox.kafka.producer.properties[acks]"));
    }

    @Test
    void ownPropertiesOfProducerWin() {
        application
                .withPropertyValues(
                        "spring.kafka.producer.acks=1",
                        "spring.kafka.producer.client-id=api",
                        "spring.kafka.producer.transaction-id-prefix=tx",
                        "outbox.kafka.producer.properties.acks=all",
                        "outbox.kafka.producer.properties.schema.reflection=true")
                .run((context) -> assertThat(created.get(0).values())
                        .containsEntry("acks", "all")
                        .containsEntry("client.id", "api-outbox")
                        .containsEntry("schema.reflection", "true")
                        .doesNotContainKey("transactional.id"));
    }

    @Test
    void twoMappersFailTheStart() {
        application
                .withBean("one", KafkaRecordMapper.class, () -> (event, record) -> record)
                .withBean("two", KafkaRecordMapper.class, () -> (event, record) -> record)
                .run((context) -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(NoUniqueBeanDefinitionException.class)
                        .hasMessageContaining("one,two"));
    }

    @Test
    void primaryProducerFactoryTellsHowToConnect() {
        application
                .withBean("audit", ProducerFactory.class, () -> factory("audit:9092"))
                .withBean(
                        "shop",
                        ProducerFactory.class,
                        () -> factory("localhost:2"),
                        (definition) -> definition.setPrimary(true))
                .run((context) ->
                        assertThat(created.get(0).values()).containsEntry("bootstrap.servers", "localhost:2"));
    }

    private static ProducerFactory<Object, Object> factory(String servers) {
        return new DefaultKafkaProducerFactory<>(Map.of("bootstrap.servers", servers));
    }
}
