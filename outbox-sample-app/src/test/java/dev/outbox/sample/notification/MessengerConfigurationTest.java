package dev.outbox.sample.notification;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.sample.discord.DiscordSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.mail.autoconfigure.MailSenderAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

class MessengerConfigurationTest {

    private final ApplicationContextRunner service = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(MailSenderAutoConfiguration.class))
            .withUserConfiguration(Service.class);

    @Test
    void logsMessagesByDefault() {
        service.run((context) -> assertThat(context).hasSingleBean(LogMessenger.class));
    }

    @Test
    void sendsMails() {
        service.withPropertyValues(
                        "notification.messenger=mail",
                        "notification.mail.from=Outbox <outbox@example.com>",
                        "notification.mail.address={recipient}@guilds.example.com",
                        "spring.mail.host=localhost")
                .run((context) -> assertThat(context).hasSingleBean(MailMessenger.class));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            discord.token                | notification.messenger=discord
            spring.mail.host             | notification.messenger=mail
            notification.mail.from       | notification.messenger=mail, spring.mail.host=localhost
            notification.mail.address    | notification.messenger=mail, spring.mail.host=localhost, notification.mail.from=a@b.c
            spring.mail.password         | notification.messenger=mail, spring.mail.host=localhost, spring.mail.username=ann
            """)
    void refusesToStartWithoutAProperty(String missing, String properties) {
        service.withPropertyValues(properties.split(", "))
                .run((context) -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageStartingWith(missing + " is missing; "));
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
