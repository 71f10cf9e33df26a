package dev.outbox.internal.publish;

import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.notify.WakeUp;
import dev.outbox.listener.OutboxListener;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;

/** Collects the streams of the events that a transaction publishes, and wakes their pollers after the commit. */
final class AfterCommit {

    /** Instances look every 20 s for what is due within a minute, by the clock of the database. */
    private static final Duration FOUND_BY_A_LOOK = Duration.ofMinutes(2);

    private final Consumer<CommittedEvents> wakeUp;
    private final OutboxListener listener;
    private final Clock clock;

    AfterCommit(Consumer<CommittedEvents> wakeUp, OutboxListener listener, Clock clock) {
        this.wakeUp = wakeUp;
        this.listener = listener;
        this.clock = clock;
    }

    /** Returns whether the transaction has committed; for those of a manager without a {@link TransactionPhase}, such as one that is no bean. */
    boolean hasCommitted() {
        if (TransactionSynchronizationManager.getResource(this) instanceof Published published) {
            return published.completing;
        }
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            return false;
        }
        List<TransactionSynchronization> registered = TransactionSynchronizationManager.getSynchronizations();
        if (registered.isEmpty()) {
            return false;
        }
        Class<?> callback = runningCallback();
        return callback != null && registered.stream().anyMatch(callback::isInstance);
    }

    /** Returns the class whose method Spring calls after a commit on this thread. Other transactions do not have it, although it may begin one. */
    private static @Nullable Class<?> runningCallback() {
        return StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE)
                .walk((frames) -> {
                    Class<?> inner = null;
                    for (StackWalker.StackFrame frame : (Iterable<StackWalker.StackFrame>) frames::iterator) {
                        if (frame.getDeclaringClass() == TransactionSynchronizationUtils.class
                                && frame.getMethodName().equals("invokeAfterCommit")) {
                            return inner;
                        }
                        inner = frame.getDeclaringClass();
                    }
                    return null;
                });
    }

    void published(NewEvent event) {
        if (event.isScheduled() && !event.isDueWithin(clock.instant(), FOUND_BY_A_LOOK)) {
            return;
        }
        Published published = (Published) TransactionSynchronizationManager.getResource(this);
        if (published == null) {
            published = new Published();
            TransactionSynchronizationManager.bindResource(this, published);
            TransactionSynchronizationManager.registerSynchronization(published);
        }
        WakeUp wakeUp = event.isScheduled() ? WakeUp.SCHEDULED : WakeUp.of(event.stream());
        published.counts.merge(wakeUp, 1, Integer::sum);
        List<UUID> ids = published.ids.computeIfAbsent(wakeUp, (key) -> new ArrayList<>());
        if (ids.size() <= CommittedEvents.MOST_IDS) {
            ids.add(event.eventId());
        }
    }

    /** Suspended with its transaction while an inner one runs; a rolled-back savepoint takes its events with it. */
    private final class Published implements TransactionSynchronization {

        private final Map<WakeUp, Integer> counts = new HashMap<>();
        private final Map<WakeUp, List<UUID>> ids = new HashMap<>();
        private final Map<Object, Map<WakeUp, Integer>> atSavepoint = new HashMap<>();
        private boolean completing;

        @Override
        public void savepoint(Object savepoint) {
            atSavepoint.put(savepoint, Map.copyOf(counts));
        }

        @Override
        public void savepointRollback(Object savepoint) {
            counts.clear();
            counts.putAll(atSavepoint.getOrDefault(savepoint, Map.of()));
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
        public void beforeCompletion() {
            completing = true;
        }

        @Override
        public void afterCompletion(int status) {
            TransactionSynchronizationManager.unbindResourceIfPossible(AfterCommit.this);
            if (status == STATUS_ROLLED_BACK) {
                return;
            }
            FaultPoint.AFTER_COMMIT.reached();
            counts.forEach((woken, count) -> {
                if (!woken.equals(WakeUp.SCHEDULED)) {
                    listener.published(woken.stream(), count);
                }
                wakeUp.accept(new CommittedEvents(woken, ids.getOrDefault(woken, List.of())));
            });
        }
    }
}
