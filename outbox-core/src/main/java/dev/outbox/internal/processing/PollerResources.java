package dev.outbox.internal.processing;

import dev.outbox.internal.background.LeaseRenewer;
import dev.outbox.internal.dispatch.Dispatcher;
import dev.outbox.internal.dispatch.Subscriptions;
import dev.outbox.internal.store.ClaimStore;
import dev.outbox.internal.store.SettlementStore;
import dev.outbox.listener.OutboxListener;
import java.util.function.Consumer;

/**
 * What a poller works with.
 *
 * @param claims claims batches
 * @param settlements writes outcomes
 * @param subscriptions who wants an event
 * @param dispatcher offers events to their handlers
 * @param leases keeps claims alive
 * @param listener hears of rounds
 * @param delegated hears of streams in which handlers of other processes have got something to do
 */
public record PollerResources(
        ClaimStore claims,
        SettlementStore settlements,
        Subscriptions subscriptions,
        Dispatcher dispatcher,
        LeaseRenewer leases,
        OutboxListener listener,
        Consumer<String> delegated) {}
