package dev.outbox.sample.adapters.upbit;

import dev.outbox.sample.eventbus.InWorker;
import dev.outbox.sample.http.GatewayClient;
import java.time.Clock;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Places orders at Upbit, if {@code trading.exchange} is {@code upbit}. */
@InWorker
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "trading.exchange", havingValue = "upbit")
@EnableConfigurationProperties(UpbitSettings.class)
class UpbitConfiguration {

    @Bean
    Upbit upbit(UpbitSettings settings) {
        UpbitTokens tokens = new UpbitTokens(settings.accessKey(), settings.secretKey());
        return new Upbit(
                settings.baseUrl(), tokens, new GatewayClient("Upbit", settings.timeouts(), Clock.systemUTC()));
    }
}
