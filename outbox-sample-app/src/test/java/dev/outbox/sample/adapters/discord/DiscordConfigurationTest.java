package dev.outbox.sample.adapters.discord;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.sample.discord.GuildRoles;
import dev.outbox.sample.notification.Messenger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class DiscordConfigurationTest {

    private final ApplicationContextRunner service =
            new ApplicationContextRunner().withUserConfiguration(DiscordConfiguration.class);

    @Test
    void tokenIsEnough() {
        service.withPropertyValues(
                        "notification.messenger=discord", "discord.guild-roles=discord", "discord.token=token-1")
                .run((context) -> {
                    assertThat(context).hasSingleBean(Messenger.class).hasSingleBean(GuildRoles.class);
                    assertThat(context.getBean(DiscordSettings.class).toString())
                            .doesNotContain("token-1");
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"notification.messenger=discord", "discord.guild-roles=discord"})
    void missingTokenIsRefusedAtStart(String adapter) {
        service.withPropertyValues(adapter)
                .run((context) -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageStartingWith("discord.token is missing; "));
    }

    @Test
    void otherAdaptersNeedNoToken() {
        service.withPropertyValues("notification.messenger=log", "discord.guild-roles=simulated")
                .run((context) -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(Messenger.class)
                        .doesNotHaveBean(GuildRoles.class));
    }
}
