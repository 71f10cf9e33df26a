package dev.outbox.sample.billing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.sample.Envelopes;
import dev.outbox.sample.SampleTest;
import dev.outbox.sample.events.GuildEvent.BotKicked;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Kicks of the bot that are handled late or again. */
@SampleTest
@Import(EveryGuild.class)
class SuspensionsTest {

    private final String guild = "guild-" + UUID.randomUUID();

    @Autowired
    private Suspensions suspensions;

    @Autowired
    private Subscriptions subscriptions;

    @Autowired
    private Charging charging;

    @Autowired
    private JdbcClient jdbc;

    private UUID id;

    @BeforeEach
    void subscribe() {
        id = charging.collect(subscriptions.order(guild, Plan.PRO, "user-1", null))
                .id();
    }

    @Test
    void kickSuspendsSubscriptionOnce() {
        kickedAt(Instant.now());
        kickedAt(Instant.now());

        assertThat(subscriptions.find(id).status()).isEqualTo("suspended");
        assertThat(new BillingTables(jdbc).eventsOf(id))
                .containsExactly("SubscriptionStarted", "SubscriptionSuspended");
    }

    @Test
    void lateKickSparesLaterSubscription() {
        kickedAt(Instant.now().minus(Duration.ofHours(1)));

        assertThat(subscriptions.find(id).status()).isEqualTo("active");
        assertThat(new BillingTables(jdbc).eventsOf(id)).containsExactly("SubscriptionStarted");
    }

    private void kickedAt(Instant time) {
        suspensions.botKicked(new BotKicked(guild), Envelopes.of("guild", guild, 2, "BotKicked", "{}", Map.of(), time));
    }
}
