package dev.outbox.internal.processing;

import dev.outbox.internal.background.LeaseRenewer;
import dev.outbox.internal.dispatch.Dispatcher;
import dev.outbox.internal.dispatch.Subscriptions;
import dev.outbox.internal.store.ClaimStore;
import dev.outbox.internal.store.SettlementStore;
import dev.outbox.listener.OutboxListener;
import java.util.function.Consumer;

/** What a poller works with. */
public record PollerResources(
        ClaimStore claims,
        SettlementStore settlements,
        Subscriptions subscriptions,
        Dispatcher dispatcher,
        LeaseRenewer leases,
        OutboxListener listener,
        Consumer<String> delegated) {}
