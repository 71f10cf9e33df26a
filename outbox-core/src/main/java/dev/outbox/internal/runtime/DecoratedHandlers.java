package dev.outbox.internal.runtime;

import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxConfigurationException;
import dev.outbox.internal.dispatch.DeduplicationInbox;
import dev.outbox.internal.dispatch.InterceptedHandlers;
import dev.outbox.internal.dispatch.ProcessedEventStore;
import dev.outbox.internal.dispatch.RunningHandlers;
import dev.outbox.internal.dispatch.SilentRollback;
import dev.outbox.internal.dispatch.TimeLimit;
import dev.outbox.internal.publish.TransactionPhase;
import dev.outbox.listener.OutboxListener;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Adds timeout, deduplication, interceptors and supervision to the application's handlers. */
record DecoratedHandlers(RuntimeSettings settings, OutboxDependencies dependencies, OutboxListener listener) {

    /**
     * The inbox encloses the time limit, so that an interrupted attempt is rolled back. Interceptors enclose the inbox, so that the
     * context that they restore is there before its transaction begins.
     */
    List<HandlerDefinition> of(Collection<HandlerDefinition> found, RunningHandlers running) {
        TimeLimit limit = new TimeLimit();
        TransactionPhase phase = dependencies.phase();
        SilentRollback rollback = new SilentRollback(phase::beginWatch, phase::endWatch);
        InterceptedHandlers intercepted = new InterceptedHandlers(
                dependencies.extensions().interceptors().get().toList());
        return found.stream()
                .map((handler) -> {
                    Duration timeout = settings.dispatch().of(handler.id()).timeout();
                    return timeout == null ? handler : limit.around(handler, timeout);
                })
                .map((handler) -> handler.deduplicates() ? inboxOf(handler).before(handler) : handler)
                .map(rollback::around)
                .map(running::timed)
                .map(intercepted::around)
                .map(running::around)
                .toList();
    }

    private DeduplicationInbox inboxOf(HandlerDefinition handler) {
        return new DeduplicationInbox(
                new ProcessedEventStore(
                        dependencies.dataSource(), settings.schemas().outbox()),
                dependencies
                        .transactions()
                        .get()
                        .orElseThrow(() -> new OutboxConfigurationException("handler '" + handler.id()
                                + "' has deduplicate = true, but no unique transaction manager for the outbox's DataSource exists;"
                                + " define one for it, or mark one of several @Primary")),
                listener);
    }
}
