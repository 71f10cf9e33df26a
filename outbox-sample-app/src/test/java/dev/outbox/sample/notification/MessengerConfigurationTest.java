package dev.outbox.sample.notification;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.sample.discord.DiscordSettings;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

class MessengerConfigurationTest {

    private final ApplicationContextRunner service =
            new ApplicationContextRunner().withUserConfiguration(Service.class);

    @Test
    void logsMessagesByDefault() {
        service.run((context) -> assertThat(context).hasSingleBean(LogMessenger.class));
    }

    @Test
    void refusesToStartWithoutTheTokenOfDiscord() {
        service.withPropertyValues("notification.messenger=discord")
                .run((context) -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageStartingWith("discord.token is missing; "));
    }

    @Test
    void refusesToStartWithAnUnknownMessenger() {
        service.withPropertyValues("notification.messenger=pigeon")
                .run((context) -> assertThat(context).getFailure().hasStackTraceContaining("pigeon"));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableConfigurationProperties({NotificationSettings.class, DiscordSettings.class})
    @Import(MessengerConfiguration.class)
    static class Service {}
}
