package dev.outbox.sample.licensing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.sample.SampleTest;
import dev.outbox.sample.events.SubscriptionStarted;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.jdbc.core.simple.JdbcClient;

@SampleTest
class LicensesTest {

    @Autowired
    private Licenses licenses;

    @Autowired
    private JdbcClient jdbc;

    @Test
    void redeliveredSubscriptionIsLicensedAndPublishedOnce() {
        SubscriptionStarted event = new SubscriptionStarted(UUID.randomUUID(), "guild-redelivered", "pro");

        licenses.grant(event);
        List<License> granted = licensesOf(event);
        licenses.grant(event);

        assertThat(granted).hasSize(1);
        assertThat(licensesOf(event)).isEqualTo(granted);
        assertThat(licenseGrantedEvents(event)).isOne();
    }

    private List<License> licensesOf(SubscriptionStarted event) {
        return licenses.latest().stream()
                .filter((license) -> license.subscriptionId().equals(event.subscriptionId()))
                .toList();
    }

    private long licenseGrantedEvents(SubscriptionStarted event) {
        return jdbc.sql("""
                        SELECT count(*)
                          FROM events.outbox
                         WHERE event_type = 'LicenseGranted'
                           AND payload ->> 'guild_id' = :guildId
                        """).param("guildId", event.guildId()).query(Long.class).single();
    }
}
