package dev.outbox.internal.processing;

import dev.outbox.internal.background.LeaseRenewer;
import dev.outbox.internal.dispatch.Dispatcher;
import dev.outbox.internal.dispatch.HandlerRegistry;
import dev.outbox.internal.store.ClaimStore;
import dev.outbox.internal.store.DeliveryClaimStore;
import dev.outbox.internal.store.DeliverySettlementStore;
import dev.outbox.internal.store.OutboxSchema;
import dev.outbox.internal.store.SettlementStore;
import dev.outbox.listener.OutboxListener;
import java.util.function.Consumer;
import javax.sql.DataSource;

/** Collaborators shared by all stream pollers. */
public record StreamDependencies(
        ClaimStore claims,
        SettlementStore settlements,
        DeliveryClaimStore deliveryClaims,
        DeliverySettlementStore deliverySettlements,
        HandlerRegistry registry,
        Dispatcher dispatcher,
        LeaseRenewer leases,
        OutboxListener listener,
        CrashSuspects suspects,
        Consumer<String> delegated) {

    /** Creates dependencies with stores of their own; {@code delegated} is notified of streams with work for other instances. */
    public static StreamDependencies of(
            DataSource dataSource,
            OutboxSchema schema,
            HandlerRegistry registry,
            Dispatcher dispatcher,
            LeaseRenewer leases,
            OutboxListener listener,
            Consumer<String> delegated) {
        return new StreamDependencies(
                new ClaimStore(dataSource, schema),
                new SettlementStore(dataSource, schema),
                new DeliveryClaimStore(dataSource, schema),
                new DeliverySettlementStore(dataSource, schema),
                registry,
                dispatcher,
                leases,
                listener,
                new CrashSuspects(),
                delegated);
    }

    /** Returns the same stores with another dispatcher, and without crash suspects. */
    public StreamDependencies with(Dispatcher other) {
        return new StreamDependencies(
                claims,
                settlements,
                deliveryClaims,
                deliverySettlements,
                registry,
                other,
                leases,
                listener,
                new CrashSuspects(),
                delegated);
    }
}
