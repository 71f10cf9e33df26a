package dev.outbox.internal.runtime;

import dev.outbox.internal.publish.TransactionPhase;
import dev.outbox.internal.store.UnpooledDataSource;
import dev.outbox.listener.OutboxListener;
import java.time.Clock;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.util.CustomizableThreadCreator;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the outbox is given by its application.
 *
 * @param dataSource where the tables are
 * @param unpooled opens the connection that listens for wake-ups, outside the pool; empty if none can be opened, and streams are
 *     polled at their interval
 * @param phase knows whether a transaction is still open; registered with the transaction manager
 * @param transactions gives the transaction manager that works on the {@code dataSource}, which deduplicating handlers need;
 *     asked when such a handler is found
 * @param mapper writes and reads payloads
 * @param listener hears what happens to events
 * @param clock tells the time, where the database's is not used
 * @param nanos monotonic time in nanoseconds, such as {@link System#nanoTime()}, which measures durations
 * @param random the source of jitter and event ids; must be safe for use by many threads
 * @param capacity what handlers run on where a stream has a concurrency above 1
 * @param retentionSchedule gives the next time to archive after an instant; {@code null} to archive only when called
 */
public record OutboxDependencies(
        DataSource dataSource,
        Optional<DataSource> unpooled,
        TransactionPhase phase,
        Supplier<Optional<PlatformTransactionManager>> transactions,
        JsonMapper mapper,
        OutboxListener listener,
        Clock clock,
        LongSupplier nanos,
        RandomGenerator random,
        Capacity capacity,
        @Nullable UnaryOperator<Instant> retentionSchedule) {

    /**
     * Creates dependencies that measure durations with {@link System#nanoTime()}.
     *
     * @param dataSource where the tables are
     * @param unpooled opens connections outside the pool
     * @param phase knows whether a transaction is still open
     * @param transactions gives the transaction manager that works on the {@code dataSource}
     * @param mapper writes and reads payloads
     * @param listener hears what happens to events
     * @param clock tells the time, where the database's is not used
     * @param random the source of jitter and event ids
     * @param capacity what handlers run on where a stream has a concurrency above 1
     * @param retentionSchedule gives the next time to archive after an instant; {@code null} to archive only when called
     */
    public OutboxDependencies(
            DataSource dataSource,
            Optional<DataSource> unpooled,
            TransactionPhase phase,
            Supplier<Optional<PlatformTransactionManager>> transactions,
            JsonMapper mapper,
            OutboxListener listener,
            Clock clock,
            RandomGenerator random,
            Capacity capacity,
            @Nullable UnaryOperator<Instant> retentionSchedule) {
        this(
                dataSource,
                unpooled,
                phase,
                transactions,
                mapper,
                listener,
                clock,
                System::nanoTime,
                random,
                capacity,
                retentionSchedule);
    }

    /**
     * Returns what an application without special wishes gives. Wake-ups arrive on a connection outside the pool, if the pool says how to
     * open one.
     *
     * @param dataSource where the tables are
     * @return dependencies with a transaction manager of their own, a plain mapper, no listener, the system's clock and no schedule
     */
    public static OutboxDependencies of(DataSource dataSource) {
        TransactionPhase phase = new TransactionPhase();
        DataSourceTransactionManager manager = new DataSourceTransactionManager(dataSource);
        manager.addListener(phase);
        return new OutboxDependencies(
                dataSource,
                UnpooledDataSource.behind(dataSource),
                phase,
                () -> Optional.of(manager),
                JsonMapper.builder().build(),
                OutboxListener.NONE,
                Clock.systemUTC(),
                new Random(),
                Capacity.unbounded(),
                null);
    }

    /**
     * What handlers run on where a stream has a concurrency above 1.
     *
     * @param threads creates the threads
     * @param connections how many connections the pool has at most; empty if nobody knows
     */
    public record Capacity(ThreadFactory threads, OptionalInt connections) {

        /**
         * Returns platform threads that do not keep the process alive, and a pool of unknown size.
         *
         * @return the capacity
         */
        public static Capacity unbounded() {
            return new Capacity(daemons(), OptionalInt.empty());
        }

        /**
         * Creates platform threads that do not keep the process alive.
         *
         * @return the factory
         */
        public static ThreadFactory daemons() {
            CustomizableThreadCreator threads = new CustomizableThreadCreator("outbox-handler-");
            threads.setDaemon(true);
            return threads::createThread;
        }
    }
}
