package dev.outbox.repair;

import dev.outbox.dispatch.Dispatcher;
import dev.outbox.duty.LeaseKeeper;
import dev.outbox.observe.OutboxObserver;
import dev.outbox.store.DeliveryClaimStore;
import dev.outbox.store.DeliverySettleStore;

/**
 * What deliveries are attempted with.
 *
 * @param claims claims deliveries and keeps their leases
 * @param settlements writes outcomes
 * @param dispatcher invokes handlers
 * @param leases keeps claims alive
 * @param observer hears of rounds
 * @param quarantine lets one suspect delivery of this process run at a time
 */
public record RepairResources(
        DeliveryClaimStore claims,
        DeliverySettleStore settlements,
        Dispatcher dispatcher,
        LeaseKeeper leases,
        OutboxObserver observer,
        Quarantine quarantine) {}
