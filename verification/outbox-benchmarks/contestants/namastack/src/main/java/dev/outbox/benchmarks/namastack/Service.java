package dev.outbox.benchmarks.namastack;

import dev.outbox.benchmarks.worker.AccountChanged;
import dev.outbox.benchmarks.worker.Setup;
import io.namastack.outbox.handler.OutboxRecordMetadata;
import io.namastack.outbox.handler.OutboxTypedHandler;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnExpression;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Beans of the service: one handler per handler of the workload, each with its own class, which defines its id. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class Service {

    @Bean
    static Gate gate() {
        return new Gate();
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

    record First(Setup setup) implements OutboxTypedHandler<AccountChanged> {

        @Override
        public void handle(AccountChanged event, OutboxRecordMetadata metadata) {
            setup.handling().handle(0, event);
        }
    }

    record Second(Setup setup) implements OutboxTypedHandler<AccountChanged> {

        @Override
        public void handle(AccountChanged event, OutboxRecordMetadata metadata) {
            setup.handling().handle(1, event);
        }
    }

    record Third(Setup setup) implements OutboxTypedHandler<AccountChanged> {

        @Override
        public void handle(AccountChanged event, OutboxRecordMetadata metadata) {
            setup.handling().handle(2, event);
        }
    }
}
