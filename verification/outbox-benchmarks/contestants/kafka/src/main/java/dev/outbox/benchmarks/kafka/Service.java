package dev.outbox.benchmarks.kafka;

import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Service without handlers of its own: the route forwards everything. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class Service {

    /** Keeps the pollers from starting with the context, before the controller starts them. */
    @Bean
    static BeanDefinitionRegistryPostProcessor startedByTheController() {
        return (beans) -> beans.removeBeanDefinition("outboxLifecycle");
    }
}
