package dev.outbox.runtime;

import dev.outbox.HandlerConfigurationException;
import dev.outbox.HandlerDefinition;
import dev.outbox.dispatch.Inbox;
import dev.outbox.dispatch.RunningHandlers;
import dev.outbox.dispatch.SilentRollback;
import dev.outbox.dispatch.TimeLimit;
import dev.outbox.observe.OutboxObserver;
import dev.outbox.publish.TransactionPhase;
import dev.outbox.store.InboxStore;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Puts timeout, deduplication and supervision around the application's handlers. */
record DecoratedHandlers(RuntimeSettings settings, Surroundings surroundings, OutboxObserver observer) {

    /** The inbox is outside the limit: an attempt that takes too long must be rolled back. */
    List<HandlerDefinition> of(Collection<HandlerDefinition> found, RunningHandlers running) {
        TimeLimit limit = new TimeLimit();
        TransactionPhase phase = surroundings.phase();
        SilentRollback rollback = new SilentRollback(phase::beginWatch, phase::endWatch);
        return found.stream()
                .map((handler) -> {
                    Duration timeout = settings.dispatch().of(handler.id()).timeout();
                    return timeout == null ? handler : limit.around(handler, timeout);
                })
                .map((handler) -> handler.deduplicates() ? inboxOf(handler).before(handler) : handler)
                .map(rollback::around)
                .map(running::around)
                .toList();
    }

    private Inbox inboxOf(HandlerDefinition handler) {
        return new Inbox(
                new InboxStore(surroundings.dataSource(), settings.schemas().outbox()),
                surroundings
                        .transactions()
                        .get()
                        .orElseThrow(() -> new HandlerConfigurationException("handler '" + handler.id()
                                + "' deduplicates, which takes a transaction manager that works on the outbox's DataSource;"
                                + " there is none, or there are several and none is primary")),
                observer);
    }
}
