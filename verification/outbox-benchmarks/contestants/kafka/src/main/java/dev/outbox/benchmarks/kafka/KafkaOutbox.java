package dev.outbox.benchmarks.kafka;

import dev.outbox.benchmarks.outbox.Outbox;
import dev.outbox.benchmarks.worker.Setup;
import java.util.Map;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** {@link Outbox} without a handler of its own, whose only route forwards every event. */
public final class KafkaOutbox extends Outbox {

    /** Starts the service. */
    public KafkaOutbox(Setup setup) {
        super(
                setup,
                Forwarding.class,
                Map.of(
                        "outbox.forwarding.source", "/benchmark",
                        "outbox.kafka.routes.accounts.aggregate-types", "account",
                        "outbox.kafka.routes.accounts.topic", PlainProducer.TOPIC));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Forwarding {

        /** Keeps the pollers from starting with the context, before the controller starts them. */
        @Bean
        static BeanDefinitionRegistryPostProcessor startedByTheController() {
            return (beans) -> beans.removeBeanDefinition("outboxLifecycle");
        }
    }
}
