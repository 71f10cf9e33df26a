package dev.outbox.internal.dispatch;

import dev.outbox.internal.lease.LeaseRenewer;
import dev.outbox.internal.registry.HandlerRegistry;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.listener.OutboxListener;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** What first deliveries and redeliveries of all streams share; {@code delegated} is notified of streams with work for other instances. */
public record StreamDependencies(
        DataSource dataSource,
        OutboxSchema schema,
        HandlerRegistry registry,
        Dispatcher dispatcher,
        LeaseRenewer leases,
        OutboxListener listener,
        Consumer<String> delegated,
        CrashSuspects suspects) {

    /** Dependencies under which no crash suspect is attempted yet. */
    public StreamDependencies(
            DataSource dataSource,
            OutboxSchema schema,
            HandlerRegistry registry,
            Dispatcher dispatcher,
            LeaseRenewer leases,
            OutboxListener listener,
            Consumer<String> delegated) {
        this(dataSource, schema, registry, dispatcher, leases, listener, delegated, new CrashSuspects());
    }

    /** The same with another dispatcher; no crash suspect is attempted yet. */
    public StreamDependencies with(Dispatcher other) {
        return new StreamDependencies(dataSource, schema, registry, other, leases, listener, delegated);
    }
}
