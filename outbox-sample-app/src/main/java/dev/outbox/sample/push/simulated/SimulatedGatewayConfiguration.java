package dev.outbox.sample.push.simulated;

import dev.outbox.sample.demo.Outages;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Sends pushes to a simulated gateway, if {@code push.gateway} is {@code simulated}. */
@Configuration(proxyBeanMethods = false)
class SimulatedGatewayConfiguration {

    @Bean
    @ConditionalOnProperty(name = "push.gateway", havingValue = "simulated")
    SimulatedGateway simulatedGateway(JdbcClient jdbc, Outages outages) {
        return new SimulatedGateway(jdbc, outages);
    }
}
