package dev.outbox.chaos.matrix;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.outbox.HandlerDefinition;
import dev.outbox.internal.dispatch.DispatchSettings;
import dev.outbox.internal.dispatch.DispatchSettings.RetryPolicies;
import dev.outbox.internal.dispatch.RetryPolicy;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.internal.publish.PublisherSettings;
import dev.outbox.internal.retention.RetentionSettings;
import dev.outbox.internal.runtime.OutboxDependencies;
import dev.outbox.internal.runtime.OutboxRuntime;
import dev.outbox.internal.runtime.RuntimeSettings;
import dev.outbox.internal.runtime.RuntimeSettings.Polling;
import dev.outbox.internal.runtime.RuntimeSettings.Schemas;
import dev.outbox.operations.internal.OperationsRuntime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.springframework.transaction.PlatformTransactionManager;

/** Outbox of one process in a cell, with a pool of its own, that can be closed and started as often as a scenario likes. */
final class CellOutbox implements AutoCloseable {

    /** Short, but longer than a busy machine delays a process. */
    static final Duration LEASE = Duration.ofSeconds(2);

    /** Nothing gets so old by itself. */
    private static final Duration OLD = Duration.ofHours(1);

    static final int MAX_ATTEMPTS = 10;
    static final int MAX_CRASHES = 5;

    private static final int POOL_SIZE = 6;
    private static final RetryPolicy RETRIES =
            new RetryPolicy(new Backoff.Delays(List.of(Duration.ofMillis(30))), MAX_ATTEMPTS, MAX_CRASHES, Set.of());

    private final HikariDataSource pool;
    private final OutboxDependencies dependencies;
    private final RuntimeSettings settings;
    private final Supplier<List<HandlerDefinition>> handlers;
    private volatile OutboxRuntime runtime;
    private volatile OperationsRuntime operator;

    private CellOutbox(HikariDataSource pool, RuntimeSettings settings, Supplier<List<HandlerDefinition>> handlers) {
        this.pool = pool;
        this.dependencies = OutboxDependencies.of(pool);
        this.settings = settings;
        this.handlers = handlers;
        this.runtime = new OutboxRuntime(settings, dependencies, handlers);
        this.operator = new OperationsRuntime(runtime);
    }

    /** Opens a pool whose sessions carry the name of the process. */
    static HikariDataSource open(Assignment assignment) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(assignment.database().jdbcUrl());
        config.setUsername(assignment.database().username());
        config.setPassword(assignment.database().password());
        config.addDataSourceProperty("ApplicationName", assignment.process());
        config.setMaximumPoolSize(POOL_SIZE);
        config.setMinimumIdle(1);
        config.setConnectionTimeout(Duration.ofSeconds(2).toMillis());
        config.setInitializationFailTimeout(-1);
        return new HikariDataSource(config);
    }

    static CellOutbox of(HikariDataSource pool, Assignment assignment, Supplier<List<HandlerDefinition>> handlers) {
        PollerSettings poller =
                new PollerSettings(Duration.ofMillis(200), 4, assignment.concurrency(), LEASE, Duration.ofMillis(300));
        RetentionSettings retention = new RetentionSettings(Duration.ZERO, true, OLD, OLD, OLD, OLD, OLD, 5);
        RuntimeSettings settings = new RuntimeSettings(
                Schemas.defaults(),
                PublisherSettings.defaults(),
                new Polling(Set.of("default"), true, Map.of("default", poller)),
                new DispatchSettings(RetryPolicies.of(RETRIES), Map.of()),
                retention);
        return new CellOutbox(pool, settings, handlers);
    }

    HikariDataSource dataSource() {
        return pool;
    }

    OutboxRuntime runtime() {
        return runtime;
    }

    OperationsRuntime operator() {
        return operator;
    }

    PlatformTransactionManager transactions() {
        return dependencies.transactions().get().orElseThrow();
    }

    /** Closes the outbox, forgets what it knew, and starts it. */
    void restart() {
        runtime.close();
        runtime = new OutboxRuntime(settings, dependencies, handlers);
        operator = new OperationsRuntime(runtime);
        runtime.start();
    }

    @Override
    public void close() {
        try {
            runtime.close();
        } finally {
            pool.close();
        }
    }
}
