package dev.outbox.spring.autoconfigure;

import dev.outbox.internal.runtime.OutboxDependencies.Capacity;
import java.util.OptionalInt;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.jdbc.metadata.CompositeDataSourcePoolMetadataProvider;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadata;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.boot.thread.Threading;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/** Threads and connections for concurrent handlers: virtual threads if the application uses them, and at most the size of its pool. */
final class HandlerCapacity {

    private HandlerCapacity() {}

    static Capacity of(Environment environment, DataSource dataSource, Stream<DataSourcePoolMetadataProvider> pools) {
        ThreadFactory threads = Threading.VIRTUAL.isActive(environment)
                ? new VirtualThreadTaskExecutor("outbox-handler-").getVirtualThreadFactory()
                : Capacity.daemons();
        return new Capacity(threads, connections(dataSource, pools));
    }

    /** Returns the maximum size of a pool, or empty if it is unknown. */
    static OptionalInt connections(DataSource dataSource, Stream<DataSourcePoolMetadataProvider> pools) {
        DataSourcePoolMetadata pool = pool(dataSource, new CompositeDataSourcePoolMetadataProvider(pools.toList()));
        Integer max = pool == null ? null : pool.getMax();
        return max == null || max < 0 ? OptionalInt.empty() : OptionalInt.of(max);
    }

    private static @Nullable DataSourcePoolMetadata pool(DataSource dataSource, DataSourcePoolMetadataProvider pools) {
        try {
            return pools.getDataSourcePoolMetadata(dataSource);
        } catch (IllegalStateException ex) {
            // A routing DataSource may have no target for this thread.
            return null;
        }
    }
}
