package dev.outbox.internal.processing;

import dev.outbox.internal.background.LeaseRenewer;
import dev.outbox.internal.dispatch.Dispatcher;
import dev.outbox.internal.store.DeliveryClaimStore;
import dev.outbox.internal.store.DeliverySettlementStore;
import dev.outbox.listener.OutboxListener;

/**
 * What deliveries are attempted with.
 *
 * @param claims claims deliveries and keeps their leases
 * @param settlements writes outcomes
 * @param dispatcher invokes handlers
 * @param leases keeps claims alive
 * @param listener hears of rounds
 * @param suspects lets one suspect delivery of this process run at a time
 */
public record RetryResources(
        DeliveryClaimStore claims,
        DeliverySettlementStore settlements,
        Dispatcher dispatcher,
        LeaseRenewer leases,
        OutboxListener listener,
        CrashSuspects suspects) {}
