package dev.outbox.sample.fulfilment;

import dev.outbox.sample.demo.Outages;
import dev.outbox.sample.webhook.SignedWebhook;
import java.time.Clock;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.json.JsonMapper;

/** Chooses the courier, and refuses to start if one of its properties is missing. */
@Configuration(proxyBeanMethods = false)
class CourierConfiguration {

    @Bean
    Courier courier(FulfilmentSettings settings, JdbcClient jdbc, Outages outages, JsonMapper json) {
        return switch (settings.courier()) {
            case SIMULATED -> new SimulatedCourier(jdbc, outages);
            case WEBHOOK ->
                new WebhookCourier(SignedWebhook.of("fulfilment.webhook", settings.webhook(), json, Clock.systemUTC()));
        };
    }
}
