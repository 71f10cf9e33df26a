package dev.outbox.sample.recovery;

import static java.util.Objects.requireNonNullElse;

import dev.outbox.DeadLetter;
import dev.outbox.NonRetryableException;
import dev.outbox.OutboxDeadLetter;
import dev.outbox.OutboxHandler;
import dev.outbox.sample.discord.GuildRoles;
import dev.outbox.sample.events.RecoveryEvent.RestoreStarted;
import java.util.UUID;
import org.springframework.stereotype.Component;

/**
 * Restores the roles of a snapshot, each outside any transaction. If the process dies, the next delivery of the event resumes after the
 * last recorded step, and repeats the one that was under way. So does an operator's retry of a restore that was given up.
 */
@Component
class RestoreWorkflow {

    private final Restores restores;
    private final GuildRoles roles;

    RestoreWorkflow(Restores restores, GuildRoles roles) {
        this.restores = restores;
        this.roles = roles;
    }

    @OutboxHandler(id = "recovery.restore")
    void restoreStarted(RestoreStarted event) {
        RestoreJob job = restores.find(event.restoreJobId());
        if (job.isCompleted()) {
            return;
        }
        int planned = restores.countSteps(job.id());
        if (planned == 0) {
            restores.fail(job, "the snapshot holds no roles");
            return;
        }
        try {
            restoreRoles(job);
        } catch (NonRetryableException ex) {
            restores.fail(job, String.valueOf(ex.getMessage()));
            return;
        }
        restores.complete(job, planned + " roles restored");
    }

    /** Reads the job from the envelope, because the payload may be unreadable. */
    @OutboxDeadLetter("recovery.restore")
    void gaveUp(DeadLetter letter) {
        RestoreJob job = restores.find(UUID.fromString(letter.event().aggregateId()));
        restores.fail(
                job,
                "given up, %s: %s"
                        .formatted(letter.errorCode(), requireNonNullElse(letter.errorMessage(), "no message")));
    }

    private void restoreRoles(RestoreJob job) {
        for (Restores.Step step : restores.openSteps(job.id())) {
            roles.restore(job.guildId(), step.role());
            restores.recordStep(job.id(), step);
        }
    }
}
