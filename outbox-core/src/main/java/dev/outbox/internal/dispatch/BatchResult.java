package dev.outbox.internal.dispatch;

import dev.outbox.BatchHandler.Batch;
import dev.outbox.BatchOutcome;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.publish.Aggregate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of the events of one batch. The first failure of an aggregate stops it: its later events count as not handled, because their
 * order would be lost.
 */
final class BatchResult {

    private final HandlerDefinition handler;
    private final List<Attempt> attempts;
    private final FailedAttempts failures;

    /** Outcomes of the events that the handler does not get. */
    private final Map<Long, DeliveryOutcome> known = new HashMap<>();

    private final List<Attempt> called;
    private final List<Object> payloads;
    private final Map<Long, Throwable> failed = new ConcurrentHashMap<>();
    private @Nullable Throwable thrown;

    BatchResult(HandlerDefinition handler, List<Attempt> attempts, FailedAttempts failures) {
        this.handler = handler;
        this.attempts = attempts;
        this.failures = failures;
        this.called = new ArrayList<>(attempts.size());
        this.payloads = new ArrayList<>(attempts.size());
    }

    /**
     * Decodes the payloads. An event that the handler cannot get is a dead letter.
     *
     * @throws InterruptedException if the shutdown interrupts the decoding
     */
    void decode() throws InterruptedException {
        Set<Aggregate> stopped = new HashSet<>();
        for (Attempt attempt : attempts) {
            if (!stopped.isEmpty() && stopped.contains(attempt.aggregate())) {
                known.put(attempt.id(), DeliveryOutcome.QUEUED);
                continue;
            }
            try {
                payloads.add(attempt.payload().decode(handler));
                called.add(attempt);
            } catch (Throwable ex) {
                if (attempt.isInterruptedByShutdown(ex)) {
                    throw new InterruptedException();
                }
                DeliveryOutcome outcome = failures.failed(handler, attempt, ex);
                known.put(attempt.id(), outcome);
                if (outcome.blocksLane()) {
                    stopped.add(attempt.aggregate());
                }
            }
        }
    }

    /** Returns the events that the handler gets. */
    List<Attempt> called() {
        return called;
    }

    /** Returns the argument of the handler: the batch, or the payload of the only event. */
    Object argument() {
        if (!handler.isBatch()) {
            return payloads.get(0);
        }
        List<EventEnvelope> events = called.stream().map(Attempt::envelope).toList();
        return new Batch(payloads, events, new Failures());
    }

    void thrown(Throwable ex) {
        thrown = ex;
    }

    /** Makes all events fail, whether the handler got them or not. */
    void allThrown(Throwable ex) {
        called.addAll(attempts);
        thrown = ex;
    }

    @Nullable
    Throwable thrown() {
        return thrown;
    }

    /** Returns whether the failure of an event counts for the circuit of the handler. */
    boolean opensCircuit(Attempt attempt) {
        Throwable own = failed.get(attempt.id());
        return own == null || Causes.opensCircuit(own);
    }

    /** Decides what becomes of each event, and logs the failures. */
    List<DeliveryOutcome> outcomes() {
        if (thrown == null && known.isEmpty() && failed.isEmpty()) {
            return Collections.nCopies(attempts.size(), DeliveryOutcome.SUCCEEDED);
        }
        if (thrown != null && called.size() > 1) {
            failures.logTogether(handler, called.size(), thrown);
        }
        Set<Aggregate> stopped = new HashSet<>();
        List<DeliveryOutcome> outcomes = new ArrayList<>(attempts.size());
        for (Attempt attempt : attempts) {
            DeliveryOutcome outcome = known.get(attempt.id());
            if (outcome == null) {
                outcome = stopped.contains(attempt.aggregate()) ? DeliveryOutcome.QUEUED : outcome(attempt);
                if (!outcome.succeeded()) {
                    stopped.add(attempt.aggregate());
                }
            }
            outcomes.add(outcome);
        }
        return outcomes;
    }

    private DeliveryOutcome outcome(Attempt attempt) {
        Throwable all = thrown;
        Throwable own = failed.get(attempt.id());
        if (own != null) {
            return failures.failed(handler, attempt, own);
        }
        if (all != null) {
            return called.size() == 1
                    ? failures.failed(handler, attempt, all)
                    : failures.failedTogether(handler, attempt, all);
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
