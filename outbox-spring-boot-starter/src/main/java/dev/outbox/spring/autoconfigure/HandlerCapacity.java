package dev.outbox.spring.autoconfigure;

import dev.outbox.internal.runtime.OutboxDependencies.Capacity;
import java.util.OptionalInt;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.springframework.boot.jdbc.metadata.CompositeDataSourcePoolMetadataProvider;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadata;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.boot.thread.Threading;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/**
 * What handlers run on where there is more than one at a time: virtual threads where the application wants such and the JVM has them,
 * and no more than the pool has connections for.
 */
final class HandlerCapacity {

    private HandlerCapacity() {}

    static Capacity of(Environment environment, DataSource dataSource, Stream<DataSourcePoolMetadataProvider> pools) {
        ThreadFactory threads = Threading.VIRTUAL.isActive(environment)
                ? new VirtualThreadTaskExecutor("outbox-handler-").getVirtualThreadFactory()
                : Capacity.daemons();
        return new Capacity(threads, connections(dataSource, pools));
    }

    /** Returns how many connections a pool has at most; empty if it does not say. */
    static OptionalInt connections(DataSource dataSource, Stream<DataSourcePoolMetadataProvider> pools) {
        DataSourcePoolMetadata pool =
                new CompositeDataSourcePoolMetadataProvider(pools.toList()).getDataSourcePoolMetadata(dataSource);
        Integer max = pool == null ? null : pool.getMax();
        return max == null || max < 0 ? OptionalInt.empty() : OptionalInt.of(max);
    }
}
