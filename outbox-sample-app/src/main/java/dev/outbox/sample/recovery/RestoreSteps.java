package dev.outbox.sample.recovery;

import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Stores the steps of restores, one for each role of the snapshot. A later delivery resumes after the recorded steps. */
@Component
final class RestoreSteps {

    /** Copies the roles, because newer snapshots may displace this one during the restore. */
    private static final String PLAN = """
            INSERT INTO recovery.restore_steps (job_id, number, role)
            SELECT :jobId, step.number, step.role
              FROM unnest(CAST(:roles AS text[])) WITH ORDINALITY AS step (role, number)
            """;

    private static final String OPEN = """
            SELECT number, role
              FROM recovery.restore_steps
             WHERE job_id = :jobId
               AND restored_at IS NULL
             ORDER BY number
            """;

    private static final String RECORD = """
            UPDATE recovery.restore_steps
               SET restored_at = now()
             WHERE job_id = :jobId
               AND number = :number
            """;

    private static final String COUNT = """
            SELECT count(*)
              FROM recovery.restore_steps
             WHERE job_id = :jobId
            """;

    private final JdbcClient jdbc;

    RestoreSteps(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    void plan(UUID jobId, List<String> roles) {
        jdbc.sql(PLAN)
                .param("jobId", jobId)
                .param("roles", roles.toArray(String[]::new))
                .update();
    }

    List<Step> open(UUID jobId) {
        return jdbc.sql(OPEN).param("jobId", jobId).query(Step.class).list();
    }

    void record(UUID jobId, Step step) {
        jdbc.sql(RECORD).param("jobId", jobId).param("number", step.number()).update();
    }

    int count(UUID jobId) {
        return jdbc.sql(COUNT).param("jobId", jobId).query(Integer.class).single();
    }

    record Step(int number, String role) {}
}
