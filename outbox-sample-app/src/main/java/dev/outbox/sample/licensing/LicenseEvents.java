package dev.outbox.sample.licensing;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.sample.events.Headers;
import dev.outbox.sample.events.LicensingEvent;
import org.springframework.stereotype.Component;

/** Publishes what happens to a license, with its guild beside it. */
@Component
final class LicenseEvents {

    private final OutboxPublisher outbox;

    LicenseEvents(OutboxPublisher outbox) {
        this.outbox = outbox;
    }

    /** Publishes in the transaction of the caller: a handler never calls another context, it publishes again. */
    void publish(License license, LicensingEvent event) {
        outbox.publish(OutboxEvent.of("license", license.id().toString(), event)
                .withHeader(Headers.GUILD_ID, license.guildId()));
    }
}
