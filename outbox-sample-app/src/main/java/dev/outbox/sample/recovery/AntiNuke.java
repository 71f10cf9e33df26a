package dev.outbox.sample.recovery;

import dev.outbox.DeadLetter;
import dev.outbox.EventEnvelope;
import dev.outbox.NonRetryableException;
import dev.outbox.OutboxDeadLetter;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.discord.GuildRoles;
import dev.outbox.sample.events.RecoveryEvent.AntiNukeTriggered;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Answers attacks: removes the roles of each suspect, outside any transaction. A failure for one suspect does not protect the others. A
 * later delivery repeats what is harmless to repeat.
 */
@Component
class AntiNuke {

    private static final Logger log = LoggerFactory.getLogger(AntiNuke.class);

    private final Incidents incidents;
    private final GuildRoles roles;

    AntiNuke(Incidents incidents, GuildRoles roles) {
        this.incidents = incidents;
        this.roles = roles;
    }

    @OutboxHandler(id = "recovery.anti-nuke")
    void attackDetected(AntiNukeTriggered event, EventEnvelope envelope) {
        Incident incident = incidents.find(incidentOf(envelope));
        if (incident.isOpen()) {
            incidents.close(incident, revokeRoles(incident));
        }
    }

    /** Leaves the incident open, so that an operator's retry of the delivery can still answer it. */
    @OutboxDeadLetter("recovery.anti-nuke")
    void gaveUp(DeadLetter letter) {
        Incident incident = incidents.find(incidentOf(letter.event()));
        if (incident.isOpen()) {
            incidents.publishActions(
                    incident,
                    incident.suspects().stream()
                            .map((suspect) -> "removal of the roles of " + suspect + " not confirmed")
                            .toList());
        }
    }

    /** Tries every suspect before it reports the first failure that a retry may mend. */
    private List<String> revokeRoles(Incident incident) {
        List<String> actions = new ArrayList<>();
        RuntimeException failure = null;
        for (String suspect : incident.suspects()) {
            try {
                actions.add(revokeRoles(incident, suspect));
            } catch (RuntimeException ex) {
                failure = firstOf(failure, ex);
            }
        }
        if (failure != null) {
            throw failure;
        }
        return actions;
    }

    private String revokeRoles(Incident incident, String suspect) {
        try {
            roles.revoke(incident.guildId(), suspect);
            return "roles removed from " + suspect;
        } catch (NonRetryableException ex) {
            log.warn("Cannot remove the roles of {} in guild {}", suspect, incident.guildId(), ex);
            return "roles of " + suspect + " not removed";
        }
    }

    private static RuntimeException firstOf(@Nullable RuntimeException first, RuntimeException next) {
        if (first == null) {
            return next;
        }
        first.addSuppressed(next);
        return first;
    }

    /** Reads the id from the envelope, because the payload of a dead letter may be unreadable. */
    private static UUID incidentOf(EventEnvelope envelope) {
        return UUID.fromString(envelope.aggregateId());
    }
}
