package dev.outbox.sample.licensing;

import dev.outbox.sample.events.LicensingEvent.LicenseDowngraded;
import dev.outbox.sample.web.NotFoundException;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionOperations;

/**
 * Downgrades licenses to the free plan if no payment has extended them by the end of the grace period. A payment that arrives later restores
 * the plan. Any number of processes can run it at the same time.
 */
@Component
final class LicenseExpiry {

    private static final Logger log = LoggerFactory.getLogger(LicenseExpiry.class);

    /** Relies on licenses_expiring. */
    private static final String EXPIRED = """
            SELECT id
              FROM licensing.licenses
             WHERE expires_at <= now() - make_interval(secs => :grace)
               AND status = 'active'
            """;

    private static final String LOCK = "SELECT " + Licenses.COLUMNS + """
              FROM licensing.licenses
             WHERE expires_at <= now() - make_interval(secs => :grace)
               AND status = 'active'
               AND id = :id
               FOR UPDATE SKIP LOCKED
            """;

    private static final String EXPIRE = """
            UPDATE licensing.licenses
               SET plan_code = 'free', expires_at = NULL
             WHERE id = :id
            """;

    private static final String END_GRACE = """
            UPDATE licensing.licenses
               SET expires_at = now() - make_interval(secs => :grace)
             WHERE subscription_id = :subscriptionId
               AND expires_at IS NOT NULL
            """;

    private final JdbcClient jdbc;
    private final TransactionOperations transaction;
    private final LicenseEvents events;
    private final LicensingSettings settings;

    LicenseExpiry(
            JdbcClient jdbc, TransactionOperations transaction, LicenseEvents events, LicensingSettings settings) {
        this.jdbc = jdbc;
        this.transaction = transaction;
        this.events = events;
        this.settings = settings;
    }

    @Scheduled(cron = "${licensing.expiry}")
    void runOnce() {
        List<UUID> expired = jdbc.sql(EXPIRED)
                .param("grace", settings.grace().toSeconds())
                .query(UUID.class)
                .list();
        for (UUID id : expired) {
            try {
                transaction.executeWithoutResult((status) -> expire(id));
            } catch (RuntimeException ex) {
                log.warn("Cannot expire license {}; a later run tries again", id, ex);
            }
        }
    }

    /** Makes the license of a subscription look as if it had not been extended in time. */
    void endGrace(UUID subscriptionId) {
        int found = jdbc.sql(END_GRACE)
                .param("subscriptionId", subscriptionId)
                .param("grace", settings.grace().toSeconds())
                .update();
        if (found == 0) {
            throw new NotFoundException("expiring license of a subscription", subscriptionId);
        }
    }

    private void expire(UUID id) {
        jdbc.sql(LOCK)
                .param("id", id)
                .param("grace", settings.grace().toSeconds())
                .query(License.class)
                .optional()
                .ifPresent((license) -> {
                    jdbc.sql(EXPIRE).param("id", id).update();
                    events.publish(license, new LicenseDowngraded(id, license.planCode(), License.FREE));
                });
    }
}
