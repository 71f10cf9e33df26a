package dev.outbox.benchmarks.modulith;

import dev.outbox.benchmarks.worker.AccountChanged;
import dev.outbox.benchmarks.worker.Setup;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnExpression;
import org.springframework.boot.task.ThreadPoolTaskExecutorCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.modulith.events.FailedEventPublications;
import org.springframework.scheduling.annotation.EnableScheduling;

/** Beans of the service: one listener per handler of the workload. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableScheduling
class Service {

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
    First first(Setup setup) {
        return new First(setup);
    }

    @Bean
    @ConditionalOnExpression("@setup.role().handlers() > 1")
    Second second(Setup setup) {
        return new Second(setup);
    }

    @Bean
    @ConditionalOnExpression("@setup.role().handlers() > 2")
    Third third(Setup setup) {
        return new Third(setup);
    }

    static class First {

        private final Setup setup;

        First(Setup setup) {
            this.setup = setup;
        }

        @ApplicationModuleListener
        void on(AccountChanged event) {
            setup.handling().handle(0, event);
        }
    }

    static class Second {

        private final Setup setup;

        Second(Setup setup) {
            this.setup = setup;
        }

        @ApplicationModuleListener
        void on(AccountChanged event) {
            setup.handling().handle(1, event);
        }
    }

    static class Third {

        private final Setup setup;

        Third(Setup setup) {
            this.setup = setup;
        }

        @ApplicationModuleListener
        void on(AccountChanged event) {
            setup.handling().handle(2, event);
        }
    }
}
