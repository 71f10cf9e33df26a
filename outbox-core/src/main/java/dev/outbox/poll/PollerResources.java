package dev.outbox.poll;

import dev.outbox.dispatch.Dispatcher;
import dev.outbox.dispatch.Subscriptions;
import dev.outbox.duty.LeaseKeeper;
import dev.outbox.observe.OutboxObserver;
import dev.outbox.store.ClaimStore;
import dev.outbox.store.SettleStore;
import java.util.function.Consumer;

/**
 * What a poller works with.
 *
 * @param claims claims batches
 * @param settlements writes outcomes
 * @param subscriptions who wants an event
 * @param dispatcher offers events to their handlers
 * @param leases keeps claims alive
 * @param observer hears of rounds
 * @param handedOver hears of streams in which handlers of other processes have got something to do
 */
public record PollerResources(
        ClaimStore claims,
        SettleStore settlements,
        Subscriptions subscriptions,
        Dispatcher dispatcher,
        LeaseKeeper leases,
        OutboxObserver observer,
        Consumer<String> handedOver) {}
