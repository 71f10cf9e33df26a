package dev.outbox.kafka.autoconfigure;

import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.spring.autoconfigure.OutboxAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.kafka.autoconfigure.KafkaAutoConfiguration;
import org.springframework.kafka.core.ProducerFactory;

/** Configures the routes and inboxes of an application that has an outbox. */
@AutoConfiguration(after = {OutboxAutoConfiguration.class, KafkaAutoConfiguration.class})
@ConditionalOnClass(ProducerFactory.class)
@ConditionalOnBean(OutboxRuntime.class)
@EnableConfigurationProperties(OutboxKafkaProperties.class)
public final class OutboxKafkaAutoConfiguration {}
