package dev.outbox.internal.processing;

import dev.outbox.internal.background.LeaseRenewer;
import dev.outbox.internal.dispatch.Dispatcher;
import dev.outbox.internal.store.DeliveryClaimStore;
import dev.outbox.internal.store.DeliverySettlementStore;
import dev.outbox.listener.OutboxListener;

/** What deliveries are attempted with. */
public record RetryResources(
        DeliveryClaimStore claims,
        DeliverySettlementStore settlements,
        Dispatcher dispatcher,
        LeaseRenewer leases,
        OutboxListener listener,
        CrashSuspects suspects) {}
