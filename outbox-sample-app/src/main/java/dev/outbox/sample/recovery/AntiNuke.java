package dev.outbox.sample.recovery;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.events.RecoveryEvent.AntiNukeTriggered;
import java.util.UUID;
import org.springframework.stereotype.Component;

/** Answers attacks: removes the roles of the suspects, outside any transaction. A later delivery repeats what is harmless to repeat. */
@Component
class AntiNuke {

    private final Incidents incidents;
    private final GuildRoles roles;

    AntiNuke(Incidents incidents, GuildRoles roles) {
        this.incidents = incidents;
        this.roles = roles;
    }

    @OutboxHandler(id = "recovery.anti-nuke")
    void attackDetected(AntiNukeTriggered event, EventEnvelope envelope) {
        Incident incident = incidents.find(UUID.fromString(envelope.aggregateId()));
        if (!incident.actions().isEmpty()) {
            return;
        }
        incident.suspects().forEach((suspect) -> roles.revoke(incident.guildId(), suspect));
        incidents.close(
                incident,
                incident.suspects().stream()
                        .map((suspect) -> "roles removed from " + suspect)
                        .toList());
    }
}
