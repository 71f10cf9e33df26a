package dev.outbox.sample.adapters.fcm;

import dev.outbox.sample.eventbus.InWorker;
import dev.outbox.sample.http.GatewayClient;
import java.net.URI;
import java.time.Clock;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

/** Sends pushes to FCM, if {@code push.gateway} is {@code fcm}. */
@InWorker
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "push.gateway", havingValue = "fcm")
@EnableConfigurationProperties(FcmSettings.class)
class FcmConfiguration {

    @Bean
    FcmGateway fcmGateway(FcmSettings settings, JsonMapper json) {
        ServiceAccount account = ServiceAccount.read(settings.serviceAccount(), json);
        GatewayClient http = new GatewayClient("FCM", settings.timeouts(), Clock.systemUTC());
        URI messages = settings.baseUrl().resolve("/v1/projects/" + account.projectId() + "/messages:send");
        return new FcmGateway(messages, new AccessTokens(account, http, Clock.systemUTC()), http, json);
    }
}
