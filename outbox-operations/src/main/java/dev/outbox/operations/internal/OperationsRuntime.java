package dev.outbox.operations.internal;

import dev.outbox.internal.notify.WakeUp;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.internal.runtime.RuntimeSettings.Schemas;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.Replays;
import dev.outbox.operations.ScheduledEvents;
import dev.outbox.operations.internal.inspect.JdbcInspector;
import dev.outbox.operations.internal.operate.JdbcOperations;
import dev.outbox.operations.internal.operate.JdbcSchedule;
import dev.outbox.operations.internal.replay.JdbcReplays;
import dev.outbox.operations.internal.replay.ReplayFeeder;
import javax.sql.DataSource;

/** What operators have, whether the outbox is started or not. Its started pollers feed the replays. Safe for use by many threads. */
public final class OperationsRuntime {

    private final JdbcOperations operations;
    private final OutboxInspector inspector;
    private final JdbcReplays replays;
    private final ScheduledEvents schedule;

    /** Adds operations to an outbox that has not started. */
    public OperationsRuntime(OutboxRuntime runtime) {
        DataSource dataSource = runtime.dataSource();
        Schemas schemas = runtime.schemas();
        this.operations = new JdbcOperations(
                dataSource, schemas.outbox(), schemas.archive(), runtime.listener(), runtime::committed);
        this.inspector = new JdbcInspector(dataSource, schemas.outbox());
        this.replays =
                new JdbcReplays(dataSource, schemas.outbox(), runtime.registry(), operations, runtime::wakeFeeder);
        this.schedule = new JdbcSchedule(dataSource, schemas.outbox(), () -> runtime.committed(WakeUp.SCHEDULED));
        runtime.feedWith((wake, nanos, strict) -> new ReplayFeeder(replays, wake, nanos, strict)::runOnce);
        runtime.retention().skipDeadLettersWith(operations::expireDeadLetters);
    }

    public OutboxOperations operations() {
        return operations;
    }

    public OutboxInspector inspector() {
        return inspector;
    }

    public Replays replays() {
        return replays;
    }

    public ScheduledEvents scheduled() {
        return schedule;
    }
}
