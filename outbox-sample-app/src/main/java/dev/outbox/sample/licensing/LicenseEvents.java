package dev.outbox.sample.licensing;

import dev.outbox.OutboxEvent;
import dev.outbox.OutboxPublisher;
import dev.outbox.sample.events.Headers;
import dev.outbox.sample.events.LicensingEvent;
import org.springframework.stereotype.Component;

/** Publishes events about licenses, with the guild and the payer in headers. */
@Component
final class LicenseEvents {

    private final OutboxPublisher outbox;

    LicenseEvents(OutboxPublisher outbox) {
        this.outbox = outbox;
    }

    /** Publishes in the caller's transaction. A handler never calls another context, but publishes an event. */
    void publish(License license, LicensingEvent event) {
        OutboxEvent ofGuild = OutboxEvent.of("license", license.id().toString(), event)
                .withHeader(Headers.GUILD_ID, license.guildId());
        outbox.publish(license.userId() == null ? ofGuild : ofGuild.withHeader(Headers.USER_ID, license.userId()));
    }
}
