package dev.outbox.benchmarks.modulithkafka;

import dev.outbox.benchmarks.worker.AccountChanged;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnExpression;
import org.springframework.boot.task.ThreadPoolTaskExecutorCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.FailedEventPublications;
import org.springframework.modulith.events.RoutingTarget;
import org.springframework.scheduling.annotation.EnableScheduling;

/** Beans of the service: every event goes to the topic with its account as the key. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableScheduling
class Service {

    private static final String TOPIC = "events";

    @Bean
    Delivering delivering() {
        return new Delivering();
    }

    @Bean
    ThreadPoolTaskExecutorCustomizer calls(Delivering delivering) {
        return (executor) -> executor.setTaskDecorator(delivering::onceBegun);
    }

    @Bean
    @ConditionalOnExpression("@setup.role().tuned()")
    Retries retries(FailedEventPublications failed, Delivering delivering) {
        return new Retries(failed, delivering);
    }

    @Bean
    EventExternalizationConfiguration externalization() {
        return EventExternalizationConfiguration.externalizing()
                .select((event) -> event instanceof AccountChanged)
                .route(
                        AccountChanged.class,
                        (event) -> RoutingTarget.forTarget(TOPIC).andKey(Integer.toString(event.key())))
                .build();
    }
}
