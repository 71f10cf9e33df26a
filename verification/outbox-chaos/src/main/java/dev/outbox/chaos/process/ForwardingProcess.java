package dev.outbox.chaos.process;

import java.util.Map;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Process that forwards events to Kafka. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = ChaosProcess.ROLE, havingValue = "forwarder")
class ForwardingProcess {

    @Bean
    Commands commands(SkewedClock clock, PoolExhaustion pool) {
        return new Commands(clock, pool, Map.of());
    }
}
