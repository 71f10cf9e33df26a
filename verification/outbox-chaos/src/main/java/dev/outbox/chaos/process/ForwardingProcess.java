package dev.outbox.chaos.process;

import dev.outbox.HandlerDefinition;
import dev.outbox.chaos.history.FactWriter;
import java.util.Map;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Process that forwards events to Kafka. It may have a handler of its own for the same events. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = ChaosProcess.ROLE, havingValue = "forwarder")
public class ForwardingProcess {

    /** Handler of a forwarder for the events that it forwards. */
    public static final String LOCAL = "local";

    @Bean
    Commands commands(SkewedClock clock, PoolExhaustion pool) {
        return new Commands(clock, pool, Map.of());
    }

    @Bean
    @ConditionalOnProperty(name = ChaosProcess.LOCAL, havingValue = "true")
    HandlerDefinition local(FactWriter facts) {
        return new RecordedHandlers(facts).recorded(HandlerDefinition.of(LOCAL, Traffic.TYPES, (event) -> {}));
    }
}
