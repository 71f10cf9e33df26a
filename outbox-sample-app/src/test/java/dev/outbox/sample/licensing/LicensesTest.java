package dev.outbox.sample.licensing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventEnvelope;
import dev.outbox.sample.Envelopes;
import dev.outbox.sample.SampleTest;
import dev.outbox.sample.events.BillingEvent;
import dev.outbox.sample.events.BillingEvent.PaymentFailedFinal;
import dev.outbox.sample.events.BillingEvent.PaymentSucceeded;
import dev.outbox.sample.events.BillingEvent.PlanUpgraded;
import dev.outbox.sample.events.BillingEvent.SubscriptionStarted;
import dev.outbox.sample.events.BillingEvent.SubscriptionSuspended;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.json.JsonMapper;

/** What happens to a license if the events of its subscription come again, as they may after a crash. */
@SampleTest
class LicensesTest {

    private static final Instant NEXT_YEAR = Instant.now().plusSeconds(365L * 24 * 3600);

    private final UUID id = UUID.randomUUID();

    @Autowired
    private LicensingSubscriber subscriber;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private JsonMapper json;

    @Test
    void grantedOnce() {
        deliverTwice(started());

        assertThat(license().status()).isEqualTo("active");
        assertThat(published()).containsExactly("LicenseGranted");
    }

    @Test
    void extendedToTheLatestPeriodWhateverComesAgain() {
        PaymentSucceeded later = new PaymentSucceeded(id, UUID.randomUUID(), NEXT_YEAR);
        PaymentSucceeded earlier = new PaymentSucceeded(id, UUID.randomUUID(), NEXT_YEAR.minusSeconds(3600));

        deliverTwice(started(), earlier, later, earlier);

        assertThat(license().expiresAt()).isBetween(NEXT_YEAR.minusMillis(1), NEXT_YEAR.plusMillis(1));
        assertThat(published()).containsExactly("LicenseGranted", "LicenseExtended", "LicenseExtended");
    }

    @Test
    void downgradedOnceDespiteRedeliveredUpgrade() {
        deliverTwice(started(), new PlanUpgraded(id, "pro", "team"), new PaymentFailedFinal(id));

        assertThat(license().planCode()).isEqualTo("free");
        assertThat(published()).containsExactly("LicenseGranted", "LicenseDowngraded");
    }

    @Test
    void suspendedOnce() {
        deliverTwice(started(), new SubscriptionSuspended(id, "bot_kicked"));

        assertThat(license().status()).isEqualTo("suspended");
        assertThat(published()).containsExactly("LicenseGranted", "LicenseSuspended");
    }

    @Test
    void eventsOfALicenseThatWasNeverGrantedChangeNothing() {
        deliverTwice(new PaymentSucceeded(id, UUID.randomUUID(), NEXT_YEAR), new PaymentFailedFinal(id));

        assertThat(published()).isEmpty();
    }

    private SubscriptionStarted started() {
        return new SubscriptionStarted(id, "guild-of-" + id, "pro");
    }

    /** All of them, and all of them again. */
    private void deliverTwice(BillingEvent... events) {
        for (int time = 1; time <= 2; time++) {
            for (BillingEvent event : events) {
                EventEnvelope envelope = Envelopes.of(
                        "subscription", id.toString(), 1, event.getClass().getSimpleName(), "{}", Map.of());
                subscriber.subscription(json.valueToTree(event), envelope);
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
}
