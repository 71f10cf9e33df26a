package dev.outbox.internal.publish;

import dev.outbox.internal.delivery.NewEvent;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.listener.OutboxListener;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Collects the streams of the events that a transaction publishes, and wakes their pollers after the commit. */
public final class AfterCommit {

    private final Consumer<String> wakeUp;
    private final OutboxListener listener;
    private final Numbering numbering;

    /** Creates a hook that reports and wakes the streams of committed events. */
    public AfterCommit(Consumer<String> wakeUp, OutboxListener listener, Numbering numbering) {
        this.wakeUp = wakeUp;
        this.listener = listener;
        this.numbering = numbering;
    }

    /** What events have in common; the rule of a type is remembered if it is known to be stored. */
    private record Kind(String stream, String aggregateType, NewEvent.TypeRule rule, boolean stored) {}

    void published(NewEvent event, boolean stored) {
        Published published = (Published) TransactionSynchronizationManager.getResource(this);
        if (published == null) {
            published = new Published();
            TransactionSynchronizationManager.bindResource(this, published);
            TransactionSynchronizationManager.registerSynchronization(published);
        }
        published.events.merge(
                new Kind(event.stream(), event.aggregate().type(), event.typeRule(), stored), 1, Integer::sum);
    }

    /** Suspended with its transaction while an inner one runs; a rolled-back savepoint takes its events with it. */
    private final class Published implements TransactionSynchronization {

        private final Map<Kind, Integer> events = new HashMap<>();
        private final Map<Object, Map<Kind, Integer>> atSavepoint = new HashMap<>();

        @Override
        public void savepoint(Object savepoint) {
            atSavepoint.put(savepoint, Map.copyOf(events));
        }

        @Override
        public void savepointRollback(Object savepoint) {
            events.clear();
            events.putAll(atSavepoint.getOrDefault(savepoint, Map.of()));
        }

        @Override
        public void suspend() {
            TransactionSynchronizationManager.unbindResource(AfterCommit.this);
        }

        @Override
        public void resume() {
            TransactionSynchronizationManager.bindResource(AfterCommit.this, this);
        }

        @Override
        public void beforeCommit(boolean readOnly) {
            FaultPoint.BEFORE_COMMIT.reached();
        }

        @Override
        public void afterCompletion(int status) {
            TransactionSynchronizationManager.unbindResourceIfPossible(AfterCommit.this);
            if (status == STATUS_ROLLED_BACK) {
                return;
            }
            FaultPoint.AFTER_COMMIT.reached();
            events.forEach((kind, count) -> {
                if (status == STATUS_COMMITTED && kind.stored()) {
                    numbering.remember(kind.aggregateType(), kind.rule());
                }
                listener.published(kind.stream(), count);
                wakeUp.accept(kind.stream());
            });
        }
    }
}
