package dev.outbox.benchmarks.dbscheduler;

import dev.outbox.benchmarks.worker.Setup;

/** Table of db-scheduler, as its documentation describes it. When tuned, it has no index for priorities. */
final class Schema {

    private static final String TABLE = """
            CREATE TABLE IF NOT EXISTS scheduled_tasks (
                task_name            text        NOT NULL,
                task_instance        text        NOT NULL,
                task_data            bytea,
                execution_time       timestamptz,
                picked               boolean     NOT NULL,
                picked_by            text,
                last_success         timestamptz,
                last_failure         timestamptz,
                consecutive_failures integer,
                last_heartbeat       timestamptz,
                version              bigint      NOT NULL,
                priority             smallint,
                state                text,
                PRIMARY KEY (task_name, task_instance)
            );
            CREATE INDEX IF NOT EXISTS execution_time_idx ON scheduled_tasks (execution_time);
            CREATE INDEX IF NOT EXISTS last_heartbeat_idx ON scheduled_tasks (last_heartbeat);
            """;

    private static final String PRIORITIES = """
            CREATE INDEX IF NOT EXISTS priority_execution_time_idx
                ON scheduled_tasks (priority DESC, execution_time ASC);
            """;

    private Schema() {}

    static String of(Setup setup) {
        return setup.tuned() ? TABLE : TABLE + PRIORITIES;
    }
}
