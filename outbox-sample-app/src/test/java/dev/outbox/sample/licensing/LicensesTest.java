package dev.outbox.sample.licensing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventEnvelope;
import dev.outbox.sample.Envelopes;
import dev.outbox.sample.SampleTest;
import dev.outbox.sample.events.BillingEvent.EntitlementEvent;
import dev.outbox.sample.events.BillingEvent.PaymentFailedFinal;
import dev.outbox.sample.events.BillingEvent.PaymentSucceeded;
import dev.outbox.sample.events.BillingEvent.PlanUpgraded;
import dev.outbox.sample.events.BillingEvent.SubscriptionStarted;
import dev.outbox.sample.events.BillingEvent.SubscriptionSuspended;
import dev.outbox.sample.events.GuildEvent.BotInstalled;
import dev.outbox.sample.events.GuildEvent.BotKicked;
import dev.outbox.sample.events.GuildEvent.PresenceEvent;
import dev.outbox.sample.events.Headers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Licenses whose events are redelivered, as after a crash, or late. */
@SampleTest
class LicensesTest {

    private static final Instant FIRST_END = Instant.parse("2126-05-01T00:00:00Z");
    private static final Instant SECOND_END = Instant.parse("2126-06-01T00:00:00Z");
    private static final Instant THIRD_END = Instant.parse("2126-07-01T00:00:00Z");

    private final UUID id = UUID.randomUUID();

    private long sequence;

    @Autowired
    private LicensingSubscriber subscriber;

    @Autowired
    private JdbcClient jdbc;

    @Test
    void extendedToTheLatestPeriodWhateverComesAgain() {
        deliverTwice(started(), paid(SECOND_END), paid(THIRD_END));

        assertThat(license().expiresAt()).isEqualTo(THIRD_END);
        assertThat(published()).containsExactly("LicenseGranted", "LicenseExtended", "LicenseExtended");
    }

    @Test
    void earlierPeriodEndDoesNotShortenLicense() {
        deliverTwice(started(), paid(THIRD_END), paid(SECOND_END));

        assertThat(license().expiresAt()).isEqualTo(THIRD_END);
    }

    @Test
    void redeliveredPaymentKeepsLaterUpgrade() {
        Delivery started = started();
        Delivery lower = paid(SECOND_END, Map.of(Headers.PLAN_CODE, "basic", Headers.DOWNGRADED_FROM, "pro"));

        deliverTwice(started, lower, event(new PlanUpgraded(id, "basic", "team")));

        assertThat(license().planCode()).isEqualTo("team");
        assertThat(published()).containsExactly("LicenseGranted", "LicenseDowngraded", "LicenseExtended");
    }

    @Test
    void downgradedOnceDespiteRedeliveredUpgrade() {
        deliverTwice(started(), event(new PlanUpgraded(id, "pro", "team")), event(new PaymentFailedFinal(id)));

        assertThat(license().planCode()).isEqualTo("free");
        assertThat(published()).containsExactly("LicenseGranted", "LicenseDowngraded");
    }

    @Test
    void suspendedOnce() {
        deliverTwice(started(), event(new SubscriptionSuspended(id, "bot_kicked")));

        assertThat(license().status()).isEqualTo("suspended");
        assertThat(published()).containsExactly("LicenseGranted", "LicenseSuspended");
    }

    @Test
    void eventsOfALicenseThatWasNeverGrantedChangeNothing() {
        deliverTwice(paid(SECOND_END), event(new PaymentFailedFinal(id)));

        assertThat(published()).isEmpty();
    }

    /** Each event happened so many hours ago. They are handled in this order. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            installed 0, kicked 1                        | active
            installed 2, kicked 1                        | suspended
            installed 2, kicked 1, installed 0, kicked 1 | active
            """)
    void kickSuspendsLicensesThatWereGrantedBefore(String events, String status) {
        String guild = "guild-of-" + id;
        for (String event : events.split(", ")) {
            Instant time = Instant.now().minus(Duration.ofHours(Long.parseLong(event.split(" ")[1])));
            PresenceEvent presence =
                    event.startsWith("installed") ? new BotInstalled(guild, "user-1") : new BotKicked(guild);
            subscriber.guild(presence, Envelopes.of("guild", guild, 1, "Any", "{}", Map.of(), time));
        }

        assertThat(jdbc.sql("SELECT status FROM licensing.licenses WHERE guild_id = :guildId")
                        .param("guildId", guild)
                        .query(String.class)
                        .single())
                .isEqualTo(status);
    }

    private Delivery started() {
        return new Delivery(
                ++sequence,
                new SubscriptionStarted(id, "guild-of-" + id, "pro"),
                Map.of(Headers.PERIOD_END, FIRST_END.toString()));
    }

    private Delivery paid(Instant newPeriodEnd) {
        return paid(newPeriodEnd, Map.of(Headers.PLAN_CODE, "pro"));
    }

    private Delivery paid(Instant newPeriodEnd, Map<String, String> headers) {
        return new Delivery(++sequence, new PaymentSucceeded(id, UUID.randomUUID(), newPeriodEnd), headers);
    }

    private Delivery event(EntitlementEvent event) {
        return new Delivery(++sequence, event, Map.of());
    }

    /** Delivers all of them, and all of them again. */
    private void deliverTwice(Delivery... deliveries) {
        for (int time = 1; time <= 2; time++) {
            for (Delivery delivery : deliveries) {
                EntitlementEvent event = delivery.event();
                EventEnvelope envelope = Envelopes.of(
                        "subscription",
                        id.toString(),
                        delivery.sequence(),
                        event.getClass().getSimpleName(),
                        "{}",
                        delivery.headers());
                subscriber.subscription(event, envelope);
            }
        }
    }

    private License license() {
        return jdbc.sql("SELECT " + Licenses.COLUMNS + " FROM licensing.licenses WHERE subscription_id = :id")
                .param("id", id)
                .query(License.class)
                .single();
    }

    private List<String> published() {
        return jdbc.sql("""
                        SELECT event_type
                          FROM events.outbox
                         WHERE headers ->> 'guildId' = :guildId
                           AND aggregate_type = 'license'
                         ORDER BY id
                        """)
                .param("guildId", "guild-of-" + id)
                .query(String.class)
                .list();
    }

    private record Delivery(long sequence, EntitlementEvent event, Map<String, String> headers) {}
}
