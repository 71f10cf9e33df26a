package dev.outbox.benchmarks.rabbit;

import dev.outbox.benchmarks.outbox.Outbox;
import dev.outbox.benchmarks.worker.Setup;
import java.util.Map;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** {@link Outbox} without a handler of its own, whose only route forwards every event. */
public final class RabbitOutbox extends Outbox {

    /** Starts the service. */
    public RabbitOutbox(Setup setup) {
        super(
                setup,
                Forwarding.class,
                Map.of(
                        "spring.rabbitmq.publisher-confirm-type", "correlated",
                        "spring.rabbitmq.publisher-returns", "true",
                        "outbox.forwarding.source", "/benchmark",
                        "outbox.rabbit.routes.accounts.aggregate-types", "account",
                        "outbox.rabbit.routes.accounts.exchange", PlainConfirms.EXCHANGE));
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
