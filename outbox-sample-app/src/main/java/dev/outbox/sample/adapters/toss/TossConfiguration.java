package dev.outbox.sample.adapters.toss;

import dev.outbox.sample.http.GatewayClient;
import java.time.Clock;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Charges over Toss Payments, if {@code sample.billing.bank} is {@code toss}. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "sample.billing.bank", havingValue = "toss")
@EnableConfigurationProperties(TossSettings.class)
class TossConfiguration {

    @Bean
    TossPayments tossPayments(TossSettings settings, JdbcClient jdbc) {
        return new TossPayments(
                settings,
                new GatewayClient("Toss Payments", settings.timeouts(), Clock.systemUTC()),
                new TossKeys(jdbc));
    }
}
