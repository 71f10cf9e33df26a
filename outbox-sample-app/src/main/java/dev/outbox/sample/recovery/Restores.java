package dev.outbox.sample.recovery;

import dev.outbox.sample.events.RecoveryEvent;
import dev.outbox.sample.events.RecoveryEvent.RestoreCompleted;
import dev.outbox.sample.events.RecoveryEvent.RestoreFailed;
import dev.outbox.sample.events.RecoveryEvent.RestoreStarted;
import dev.outbox.sample.web.NotFoundException;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Stores restores and their steps, one for each role of the snapshot. A restore fails at most once, completes at most once, and never fails
 * after it has completed.
 */
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

    /** Copies the roles, because newer snapshots may displace this one during the restore. */
    private static final String PLAN = """
            INSERT INTO recovery.restore_steps (job_id, number, role)
            SELECT :jobId, step.number, step.role
              FROM unnest(CAST(:roles AS text[])) WITH ORDINALITY AS step (role, number)
            """;

    private static final String OPEN_STEPS = """
            SELECT number, role
              FROM recovery.restore_steps
             WHERE job_id = :jobId
               AND restored_at IS NULL
             ORDER BY number
            """;

    private static final String RECORD_STEP = """
            UPDATE recovery.restore_steps
               SET restored_at = now()
             WHERE job_id = :jobId
               AND number = :number
            """;

    private static final String COUNT_STEPS = """
            SELECT count(*)
              FROM recovery.restore_steps
             WHERE job_id = :jobId
            """;

    private final JdbcClient jdbc;
    private final RecoveryEvents events;

    Restores(JdbcClient jdbc, RecoveryEvents events) {
        this.jdbc = jdbc;
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
        jdbc.sql(PLAN)
                .param("jobId", id)
                .param("roles", snapshot.roles().toArray(String[]::new))
                .update();
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

    List<Step> openSteps(UUID jobId) {
        return jdbc.sql(OPEN_STEPS).param("jobId", jobId).query(Step.class).list();
    }

    void recordStep(UUID jobId, Step step) {
        jdbc.sql(RECORD_STEP)
                .param("jobId", jobId)
                .param("number", step.number())
                .update();
    }

    int countSteps(UUID jobId) {
        return jdbc.sql(COUNT_STEPS).param("jobId", jobId).query(Integer.class).single();
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

    record Step(int number, String role) {}
}
