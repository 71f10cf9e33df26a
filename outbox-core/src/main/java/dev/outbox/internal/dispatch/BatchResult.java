package dev.outbox.internal.dispatch;

import dev.outbox.BatchHandler.Batch;
import dev.outbox.BatchOutcome;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.internal.publish.NewEvent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of the events of one batch. The first failure of an aggregate stops it: its later events count as not handled, because their
 * order would be lost.
 */
final class BatchResult {

    private final HandlerDefinition handler;
    private final List<BatchItem> items;
    private final FailedAttempts failures;
    private final Map<Long, DeliveryOutcome> refused = new HashMap<>();
    private final List<BatchItem> called = new ArrayList<>();
    private final List<Object> payloads = new ArrayList<>();
    private final Map<Long, Throwable> failed = new ConcurrentHashMap<>();
    private @Nullable Throwable thrown;
    private int reported;

    BatchResult(HandlerDefinition handler, List<BatchItem> items, FailedAttempts failures) {
        this.handler = handler;
        this.items = items;
        this.failures = failures;
    }

    /** Decodes the payloads. An event that the handler cannot get is a dead letter. */
    void decode() {
        Set<NewEvent.Aggregate> stopped = new HashSet<>();
        for (BatchItem item : items) {
            if (stopped.contains(item.aggregate())) {
                continue;
            }
            DeliveryOutcome outcome = refusal(item);
            if (outcome == null) {
                called.add(item);
            } else {
                refused.put(item.id(), outcome);
                if (outcome.blocksLane()) {
                    stopped.add(item.aggregate());
                }
            }
        }
    }

    private @Nullable DeliveryOutcome refusal(BatchItem item) {
        if (failures.isCrashLoop(handler, item.envelope(), item.attempt())) {
            return failures.crashed(handler, item.envelope(), item.attempt());
        }
        try {
            payloads.add(item.payload().decode(handler));
            return null;
        } catch (Throwable ex) {
            return failures.failed(handler, item.envelope(), item.attempt().failures() + 1, ex);
        }
    }

    /** Returns the events that the handler gets. */
    List<BatchItem> called() {
        return called;
    }

    /** Returns the arguments of the handler. */
    Batch batch() {
        List<EventEnvelope> events = called.stream().map(BatchItem::envelope).toList();
        return new Batch(payloads, events, new Failures());
    }

    void thrown(Throwable ex) {
        thrown = ex;
    }

    /** Makes all events fail, whether the handler got them or not. */
    void allThrown(Throwable ex) {
        called.addAll(items);
        thrown = ex;
    }

    @Nullable
    Throwable thrown() {
        return thrown;
    }

    /** Returns how many failures of single events the outcomes hold. */
    int failures() {
        return reported;
    }

    /** Returns the outcomes of a batch that nothing is known about. */
    List<DeliveryOutcome> abandoned() {
        return Collections.nCopies(items.size(), DeliveryOutcome.ABANDONED);
    }

    List<DeliveryOutcome> outcomes() {
        Set<NewEvent.Aggregate> stopped = new HashSet<>();
        Set<Long> reached = called.stream().map(BatchItem::id).collect(Collectors.toSet());
        return items.stream()
                .map((item) -> {
                    DeliveryOutcome known = refused.get(item.id());
                    if (known != null) {
                        return known;
                    }
                    if (stopped.contains(item.aggregate()) || !reached.contains(item.id())) {
                        return DeliveryOutcome.QUEUED;
                    }
                    DeliveryOutcome outcome = outcome(item);
                    if (!outcome.succeeded()) {
                        stopped.add(item.aggregate());
                    }
                    return outcome;
                })
                .toList();
    }

    private DeliveryOutcome outcome(BatchItem item) {
        int count = item.attempt().failures() + 1;
        Throwable all = thrown;
        Throwable own = failed.get(item.id());
        if (own != null) {
            return failures.failed(handler, item.envelope(), count, own, reported++ == 0);
        }
        if (all != null) {
            return called.size() == 1
                    ? failures.failed(handler, item.envelope(), count, all)
                    : failures.failedTogether(handler, item.envelope(), count, all);
        }
        return DeliveryOutcome.SUCCEEDED;
    }

    /** Failures that the handler reports, from any thread. */
    private final class Failures implements BatchOutcome {

        /** Two events may have the same payload object, such as a constant: both fail then, so that none is lost. */
        @Override
        public void failed(Object event, Throwable cause) {
            Objects.requireNonNull(cause, "cause");
            boolean found = false;
            for (int i = 0; i < called.size(); i++) {
                if (payloads.get(i) == event || called.get(i).envelope() == event) {
                    failed.putIfAbsent(called.get(i).id(), cause);
                    found = true;
                }
            }
            if (found) {
                return;
            }
            throw new IllegalArgumentException("the batch does not contain this "
                    + event.getClass().getSimpleName() + "; pass an element of the list, the same instance");
        }
    }
}
