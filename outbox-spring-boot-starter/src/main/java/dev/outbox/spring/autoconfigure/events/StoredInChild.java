package dev.outbox.spring.autoconfigure.events;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.context.ApplicationContext;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Events that this thread has stored in a child of this context. A context passes each event to its parent after its own listeners, so
 * the outbox that is nearest to the publisher stores it, and those above do not.
 */
final class StoredInChild {

    private static final ThreadLocal<@Nullable List<Stored>> STORED = new ThreadLocal<>();

    private final ApplicationContext context;

    StoredInChild(ApplicationContext context) {
        this.context = context;
    }

    /** Returns whether a child has stored this object and passes it on. */
    boolean contains(Object event) {
        List<Stored> all = STORED.get();
        for (int i = all == null ? -1 : all.size() - 1; i >= 0; i--) {
            Stored stored = all.get(i);
            if (stored.event == event && isBelow(stored.context)) {
                if (!hasOutboxAbove()) {
                    forget(stored);
                }
                return true;
            }
        }
        return false;
    }

    /** Records that this context has stored an event. A listener may keep it from reaching the parent, so the transaction forgets it. */
    void add(Object event) {
        if (!hasOutboxAbove()) {
            return;
        }
        Stored stored = new Stored(event, context);
        List<Stored> all = STORED.get();
        if (all == null) {
            all = new ArrayList<>();
            STORED.set(all);
        }
        all.add(stored);
        if (TransactionSynchronizationManager.isSynchronizationActive()) {
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void afterCompletion(int status) {
                    forget(stored);
                }
            });
        }
    }

    @SuppressWarnings("ReferenceEquality")
    private static void forget(Stored stored) {
        List<Stored> all = STORED.get();
        if (all != null && all.removeIf((other) -> other == stored) && all.isEmpty()) {
            STORED.remove();
        }
    }

    private boolean isBelow(ApplicationContext other) {
        return Stream.iterate(other.getParent(), Objects::nonNull, ApplicationContext::getParent)
                .anyMatch((parent) -> parent == context);
    }

    private boolean hasOutboxAbove() {
        ApplicationContext parent = context.getParent();
        return parent != null
                && BeanFactoryUtils.beanNamesForTypeIncludingAncestors(parent, OutboxedEventListener.class, true, false)
                                .length
                        > 0;
    }

    /** One object may be published several times, so each is compared by identity. */
    private record Stored(Object event, ApplicationContext context) {}
}
