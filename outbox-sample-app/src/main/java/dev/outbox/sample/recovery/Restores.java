package dev.outbox.sample.recovery;

import dev.outbox.sample.events.RecoveryEvent;
import dev.outbox.sample.events.RecoveryEvent.RestoreCompleted;
import dev.outbox.sample.events.RecoveryEvent.RestoreFailed;
import dev.outbox.sample.events.RecoveryEvent.RestoreStarted;
import dev.outbox.sample.web.NotFoundException;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Stores restores. A restore fails at most once, completes at most once, and never fails after it has completed. */
@Service
class Restores {

    private static final String START = """
            INSERT INTO recovery.restore_jobs (id, snapshot_id, guild_id)
            VALUES (:id, :snapshotId, :guildId)
            """;

    private static final String COMPLETE = """
            UPDATE recovery.restore_jobs
               SET status = 'completed', summary = :summary
             WHERE id = :id
               AND status <> 'completed'
            """;

    private static final String FAIL = """
            UPDATE recovery.restore_jobs
               SET status = 'failed', summary = :summary
             WHERE id = :id
               AND status = 'running'
            """;

    private static final String FIND = """
            SELECT id, snapshot_id, guild_id, status, summary
              FROM recovery.restore_jobs
             WHERE id = :id
            """;

    private final JdbcClient jdbc;
    private final RestoreSteps steps;
    private final RecoveryEvents events;

    Restores(JdbcClient jdbc, RestoreSteps steps, RecoveryEvents events) {
        this.jdbc = jdbc;
        this.steps = steps;
        this.events = events;
    }

    /** Stores the job and its steps, and publishes the event whose handler runs them, in one transaction. */
    @Transactional
    RestoreJob start(Snapshot snapshot) {
        UUID id = UUID.randomUUID();
        jdbc.sql(START)
                .param("id", id)
                .param("snapshotId", snapshot.id())
                .param("guildId", snapshot.guildId())
                .update();
        steps.plan(id, snapshot.roles());
        RestoreJob job = find(id);
        publish(job, new RestoreStarted(id, snapshot.id(), snapshot.guildId()));
        return job;
    }

    @Transactional
    RestoreJob complete(RestoreJob job, String summary) {
        return finish(COMPLETE, job, summary, new RestoreCompleted(job.id(), summary));
    }

    @Transactional
    RestoreJob fail(RestoreJob job, String summary) {
        return finish(FAIL, job, summary, new RestoreFailed(job.id(), summary));
    }

    RestoreJob find(UUID id) {
        return jdbc.sql(FIND)
                .param("id", id)
                .query(RestoreJob.class)
                .optional()
                .orElseThrow(() -> new NotFoundException("restore job", id));
    }

    private RestoreJob finish(String sql, RestoreJob job, String summary, RecoveryEvent event) {
        int finished =
                jdbc.sql(sql).param("id", job.id()).param("summary", summary).update();
        if (finished == 1) {
            publish(job, event);
        }
        return find(job.id());
    }

    private void publish(RestoreJob job, RecoveryEvent event) {
        events.publish("restore_job", job.id(), job.guildId(), event);
    }
}
