package dev.outbox.sample.notification;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Chooses the messenger. */
@Configuration(proxyBeanMethods = false)
class MessengerConfiguration {

    @Bean
    Messenger messenger(NotificationSettings settings) {
        return switch (settings.messenger()) {
            case LOG -> new LogMessenger();
        };
    }
}
