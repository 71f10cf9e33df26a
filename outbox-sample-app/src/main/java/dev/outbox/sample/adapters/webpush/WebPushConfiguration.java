package dev.outbox.sample.adapters.webpush;

import com.interaso.webpush.WebPush;
import dev.outbox.sample.eventbus.InWorker;
import dev.outbox.sample.http.GatewayClient;
import java.time.Clock;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

/** Sends pushes to the push services of browsers, if {@code push.gateway} is {@code web-push}. */
@InWorker
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "push.gateway", havingValue = "web-push")
@EnableConfigurationProperties(WebPushSettings.class)
class WebPushConfiguration {

    @Bean
    WebPushGateway webPushGateway(WebPushSettings settings, JsonMapper json) {
        return new WebPushGateway(
                new PushServices(settings.services()),
                new WebPush(settings.subject(), settings.keys()),
                settings.timeToLive(),
                new GatewayClient("the push service", settings.timeouts(), Clock.systemUTC()),
                json);
    }
}
