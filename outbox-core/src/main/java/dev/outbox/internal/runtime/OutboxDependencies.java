package dev.outbox.internal.runtime;

import dev.outbox.EventHeadersContributor;
import dev.outbox.EventUpcaster;
import dev.outbox.HandlerInterceptor;
import dev.outbox.PayloadFormat;
import dev.outbox.internal.dispatch.DispatchSettings;
import dev.outbox.internal.dispatch.Dispatcher;
import dev.outbox.internal.dispatch.FailureObserver;
import dev.outbox.internal.publish.TransactionPhase;
import dev.outbox.internal.registry.HandlerRegistry;
import dev.outbox.internal.schema.UnpooledDataSource;
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
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.util.CustomizableThreadCreator;
import tools.jackson.databind.json.JsonMapper;

/** Objects that the application gives to its outbox. */
public record OutboxDependencies(
        DataSource dataSource,
        Optional<DataSource> unpooled,
        TransactionPhase phase,
        Supplier<Optional<PlatformTransactionManager>> transactions,
        JsonMapper mapper,
        Extensions extensions,
        Clock clock,
        LongSupplier nanos,
        RandomGenerator random,
        Capacity capacity,
        @Nullable UnaryOperator<Instant> retentionSchedule,
        @Nullable String application) {

    /** Creates the objects of an application without a name. */
    public OutboxDependencies(
            DataSource dataSource,
            Optional<DataSource> unpooled,
            TransactionPhase phase,
            Supplier<Optional<PlatformTransactionManager>> transactions,
            JsonMapper mapper,
            Extensions extensions,
            Clock clock,
            LongSupplier nanos,
            RandomGenerator random,
            Capacity capacity,
            @Nullable UnaryOperator<Instant> retentionSchedule) {
        this(
                dataSource,
                unpooled,
                phase,
                transactions,
                mapper,
                extensions,
                clock,
                nanos,
                random,
                capacity,
                retentionSchedule,
                null);
    }

    /** Returns the defaults. Wake-ups arrive on a connection outside the pool if the pool reveals how to open one. */
    public static OutboxDependencies of(DataSource dataSource) {
        TransactionPhase phase = new TransactionPhase();
        DataSourceTransactionManager manager = new DataSourceTransactionManager(dataSource);
        manager.addListener(phase);
        return new OutboxDependencies(
                dataSource,
                UnpooledDataSource.behind(dataSource),
                phase,
                () -> Optional.of(manager),
                PayloadFormat.mapper(),
                Extensions.none(),
                Clock.systemUTC(),
                System::nanoTime,
                new Random(),
                Capacity.unbounded(),
                null);
    }

    /** Creates a dispatcher. Throws an exception if it could not read what the handlers take. */
    Dispatcher dispatcher(
            HandlerRegistry registry,
            DispatchSettings settings,
            OutboxListener listener,
            LongSupplier nanos,
            FailureObserver observer) {
        return new Dispatcher(
                registry,
                registry.local().payloads(mapper, extensions.upcasters().get().toList()),
                settings,
                listener,
                clock,
                nanos,
                random,
                observer);
    }

    /** Code of the application that the outbox calls. It is asked for on first use, because it may depend on the publisher. */
    public record Extensions(
            Supplier<Stream<OutboxListener>> listeners,
            Supplier<Stream<EventHeadersContributor>> headers,
            Supplier<Stream<HandlerInterceptor>> interceptors,
            Supplier<Stream<EventUpcaster>> upcasters) {

        /** Returns no code of the application. */
        public static Extensions none() {
            return of(Stream::empty);
        }

        /** Returns listeners, and nothing else. */
        public static Extensions of(Supplier<Stream<OutboxListener>> listeners) {
            return new Extensions(listeners, Stream::empty, Stream::empty, Stream::empty);
        }
    }

    /** Threads for handlers of concurrent streams, and the size of the connection pool if it is known. */
    public record Capacity(ThreadFactory threads, OptionalInt connections) {

        /** Returns platform threads that do not keep the process alive, and a pool of unknown size. */
        public static Capacity unbounded() {
            return new Capacity(daemons(), OptionalInt.empty());
        }

        /** Creates platform threads that do not keep the process alive. */
        public static ThreadFactory daemons() {
            CustomizableThreadCreator threads = new CustomizableThreadCreator("outbox-handler-");
            threads.setDaemon(true);
            return threads::createThread;
        }
    }
}
