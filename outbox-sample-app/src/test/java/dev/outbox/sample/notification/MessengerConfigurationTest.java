package dev.outbox.sample.notification;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.sample.discord.DiscordSettings;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.mail.autoconfigure.MailSenderAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

class MessengerConfigurationTest {

    private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    private final ApplicationContextRunner service = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(JacksonAutoConfiguration.class, MailSenderAutoConfiguration.class))
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

    @Test
    void postsWebhooks() {
        service.withPropertyValues(
                        "notification.messenger=webhook",
                        "notification.webhook.url=https://example.com/hook",
                        "notification.webhook.secret=" + SECRET)
                .run((context) -> assertThat(context).hasSingleBean(WebhookMessenger.class));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            notification.webhook.url     | notification.messenger=webhook
            notification.webhook.secret  | notification.messenger=webhook, notification.webhook.url=http://localhost/
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
    void refusesToStartWithAMalformedSecretWithoutNamingIt() {
        service.withPropertyValues(
                        "notification.messenger=webhook",
                        "notification.webhook.url=https://example.com/hook",
                        "notification.webhook.secret=hunter2!")
                .run((context) -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("notification.webhook.secret must be 'whsec_' and base64")
                        .satisfies(
                                (failure) -> assertThat(String.valueOf(failure)).doesNotContain("hunter2")));
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
