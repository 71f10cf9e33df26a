package dev.outbox.benchmarks.namastack;

import dev.outbox.benchmarks.worker.AccountChanged;
import dev.outbox.benchmarks.worker.Setup;
import io.namastack.outbox.handler.OutboxRecordMetadata;
import io.namastack.outbox.handler.OutboxTypedHandler;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Beans of the service. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
class Service {

    @Bean
    static Gate gate() {
        return new Gate();
    }

    @Bean
    Handler handler(Setup setup) {
        return new Handler(setup);
    }

    record Handler(Setup setup) implements OutboxTypedHandler<AccountChanged> {
        @Override
        public void handle(AccountChanged event, OutboxRecordMetadata metadata) {
            setup.handling().handle(event);
        }
    }
}
