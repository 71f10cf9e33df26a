package dev.outbox.benchmarks.outbox;

import dev.outbox.HandlerDefinition;
import dev.outbox.benchmarks.worker.AccountChanged;
import dev.outbox.benchmarks.worker.Journal.Entry;
import dev.outbox.benchmarks.worker.Setup;
import dev.outbox.listener.OutboxListener;
import java.time.Duration;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnExpression;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Beans of the service: one handler per handler of the workload, and a listener that records database steps. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class Service {

    /** Keeps the pollers from starting with the context, before the controller starts them. */
    @Bean
    static BeanDefinitionRegistryPostProcessor startedByTheController() {
        return (beans) -> beans.removeBeanDefinition("outboxLifecycle");
    }

    @Bean
    HandlerDefinition first(Setup setup) {
        return handler(setup, 0);
    }

    @Bean
    @ConditionalOnExpression("@setup.role().handlers() > 1")
    HandlerDefinition second(Setup setup) {
        return handler(setup, 1);
    }

    @Bean
    @ConditionalOnExpression("@setup.role().handlers() > 2")
    HandlerDefinition third(Setup setup) {
        return handler(setup, 2);
    }

    /** Defines a handler of the workload. */
    HandlerDefinition handler(Setup setup, int handler) {
        return HandlerDefinition.of(
                "handler-" + handler,
                AccountChanged.class,
                (event, envelope) -> setup.handling().handle(handler, event));
    }

    @Bean
    OutboxListener steps(Setup setup) {
        return new OutboxListener() {

            @Override
            public void claimed(String stream, Duration duration, int events) {
                add(Setup.CLAIM, duration, events);
            }

            @Override
            public void settled(String stream, Duration duration, int events) {
                add(Setup.SETTLE, duration, events);
            }

            private void add(int step, Duration duration, int events) {
                long now = System.nanoTime();
                setup.steps().add(new Entry(step, events, 0, 0, now - duration.toNanos(), now));
            }
        };
    }
}
