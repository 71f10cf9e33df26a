package dev.outbox.benchmarks.outbox;

import dev.outbox.HandlerDefinition;
import dev.outbox.benchmarks.worker.AccountChanged;
import dev.outbox.benchmarks.worker.Setup;
import java.util.Map;
import java.util.Set;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** {@link Outbox} whose handler takes many events at a time. */
public final class BatchOutbox extends Outbox {

    /** Starts the service. */
    public BatchOutbox(Setup setup) {
        super(setup, BatchService.class, Map.of());
    }

    /** Beans of the service. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class BatchService extends Service {

        @Bean
        @Override
        HandlerDefinition handler(Setup setup) {
            return HandlerDefinition.ofBatch(
                    HANDLER,
                    Set.of(),
                    AccountChanged.class,
                    (payloads, events, outcome, context) -> setup.handling().handleAll(payloads, outcome::failed));
        }
    }
}
