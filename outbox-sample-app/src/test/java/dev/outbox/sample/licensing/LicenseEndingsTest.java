package dev.outbox.sample.licensing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.sample.Envelopes;
import dev.outbox.sample.SampleTest;
import dev.outbox.sample.events.GuildEvent.BotInstalled;
import dev.outbox.sample.events.GuildEvent.BotKicked;
import dev.outbox.sample.events.GuildEvent.PresenceEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Kicks of the bot and the licenses that were granted before or after them, handled in time or late. */
@SampleTest
class LicenseEndingsTest {

    private static final Instant NOW = Instant.now();
    private static final Instant HOUR_AGO = NOW.minus(Duration.ofHours(1));
    private static final Instant TWO_HOURS_AGO = NOW.minus(Duration.ofHours(2));

    private final String guild = "guild-" + UUID.randomUUID();
    private final BotInstalled installed = new BotInstalled(guild, "user-1");
    private final BotKicked kicked = new BotKicked(guild);

    @Autowired
    private LicensingSubscriber subscriber;

    @Autowired
    private JdbcClient jdbc;

    @Test
    void lateKickSparesLaterLicense() {
        happened(installed, NOW);

        happened(kicked, HOUR_AGO);

        assertThat(status()).isEqualTo("active");
    }

    @Test
    void kickSuspendsLicenseThatWasGrantedLate() {
        happened(installed, TWO_HOURS_AGO);

        happened(kicked, HOUR_AGO);

        assertThat(status()).isEqualTo("suspended");
    }

    @Test
    void repeatedKickSparesLicenseOfLaterInstallation() {
        happened(installed, TWO_HOURS_AGO);
        happened(kicked, HOUR_AGO);
        happened(installed, NOW);

        happened(kicked, HOUR_AGO);

        assertThat(status()).isEqualTo("active");
    }

    private void happened(PresenceEvent event, Instant time) {
        String type = event.getClass().getSimpleName();
        subscriber.guild(event, Envelopes.of("guild", guild, 1, type, "{}", Map.of(), time));
    }

    private String status() {
        return jdbc.sql("SELECT status FROM licensing.licenses WHERE guild_id = :guildId")
                .param("guildId", guild)
                .query(String.class)
                .single();
    }
}
