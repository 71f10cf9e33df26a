package dev.outbox.internal.dispatch;

import dev.outbox.BatchHandler.Batch;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.lease.LeaseGuard;
import dev.outbox.internal.publish.Aggregate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of the events of one batch. The first failure of an aggregate stops it: its later events count as not handled, because their
 * order would be lost.
 */
final class BatchResult {

    private static final Logger log = LoggerFactory.getLogger(BatchResult.class);

    private static final CompletableFuture<DeliveryOutcome> NOTHING_AWAITED =
            CompletableFuture.completedFuture(DeliveryOutcome.SUCCEEDED);

    private final HandlerDefinition handler;
    private final List<Attempt> attempts;
    private final FailedAttempts failures;
    private final Arrivals arrivals;

    /** Outcomes of the events that the handler does not get. */
    private final Map<Long, DeliveryOutcome> known = new HashMap<>();

    private final List<Attempt> called;
    private final List<Object> payloads;
    private final Map<Long, Throwable> failed = new ConcurrentHashMap<>();
    private final Map<Long, CompletionStage<?>> later = new ConcurrentHashMap<>();

    /** Outcomes that come later, which share the time limit of the handler. */
    private final List<Limited> limited = new ArrayList<>();

    private @Nullable Throwable thrown;
    private volatile boolean decided;

    /** What becomes of outcomes that come later: the time limit of each, and its classification. */
    record Arrivals(@Nullable Duration limit, BiFunction<Attempt, @Nullable Throwable, DeliveryOutcome> classify) {}

    /** Stage that the handler has given, and what ends it. */
    private record Limited(CompletionStage<?> stage, CompletableFuture<@Nullable Throwable> end) {

        /** Ends an outcome that has not come. The handler learns it by the cancellation of its stage, unless that is no future. */
        void endBecauseOf(Throwable cause) {
            if (end.complete(cause)) {
                try {
                    stage.toCompletableFuture().cancel(false);
                } catch (Throwable ex) {
                    log.debug("An outcome that came too late could not be cancelled", ex);
                }
            }
        }
    }

    BatchResult(HandlerDefinition handler, List<Attempt> attempts, FailedAttempts failures, Arrivals arrivals) {
        this.handler = handler;
        this.attempts = attempts;
        this.failures = failures;
        this.arrivals = arrivals;
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
        return new Batch(payloads, events, new Reported());
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
        decided = true;
        if (thrown == null && known.isEmpty() && failed.isEmpty() && later.isEmpty()) {
            return Collections.nCopies(attempts.size(), DeliveryOutcome.SUCCEEDED);
        }
        if (thrown != null && called.size() > 1) {
            failures.logTogether(handler, called.size(), thrown);
        }
        Set<Aggregate> stopped = new HashSet<>();
        Map<Aggregate, CompletableFuture<DeliveryOutcome>> awaited = new HashMap<>();
        List<DeliveryOutcome> outcomes = new ArrayList<>(attempts.size());
        for (Attempt attempt : attempts) {
            DeliveryOutcome outcome = known.get(attempt.id());
            if (outcome == null) {
                outcome = stopped.contains(attempt.aggregate()) ? DeliveryOutcome.QUEUED : outcome(attempt, awaited);
                if (!outcome.succeeded() && !outcome.isLater()) {
                    stopped.add(attempt.aggregate());
                }
            }
            outcomes.add(outcome);
        }
        limit();
        return outcomes;
    }

    /** One timer for all outcomes that come later: a timer for each costs more than the outcome. */
    private void limit() {
        Duration limit = arrivals.limit();
        if (limit != null && !limited.isEmpty()) {
            CompletableFuture<Void> unused = CompletableFuture.allOf(
                            limited.stream().map(Limited::end).toArray(CompletableFuture[]::new))
                    .orTimeout(limit.toNanos(), TimeUnit.NANOSECONDS)
                    .whenComplete((ignored, ex) -> {
                        if (ex != null) {
                            limited.forEach((outcome) -> outcome.endBecauseOf(TimeLimit.late(limit)));
                        }
                    });
        }
    }

    private DeliveryOutcome outcome(Attempt attempt, Map<Aggregate, CompletableFuture<DeliveryOutcome>> awaited) {
        Throwable all = thrown;
        Throwable own = failed.get(attempt.id());
        if (own != null) {
            return failures.failed(handler, attempt, own);
        }
        CompletionStage<?> stage = later.get(attempt.id());
        if (stage != null) {
            CompletableFuture<DeliveryOutcome> arrival =
                    arrival(attempt, stage, awaited.getOrDefault(attempt.aggregate(), NOTHING_AWAITED));
            awaited.put(attempt.aggregate(), arrival);
            return DeliveryOutcome.later(arrival);
        }
        if (all != null) {
            return called.size() == 1
                    ? failures.failed(handler, attempt, all)
                    : failures.failedTogether(handler, attempt, all);
        }
        return DeliveryOutcome.SUCCEEDED;
    }

    /** An event counts as not attempted if one before it in its aggregate did not succeed, or if its stage was cancelled. */
    private CompletableFuture<DeliveryOutcome> arrival(
            Attempt attempt, CompletionStage<?> stage, CompletableFuture<DeliveryOutcome> before) {
        CompletableFuture<@Nullable Throwable> ended = new CompletableFuture<>();
        // Not whenComplete, which wraps an exception, and so asks for its message.
        stage.handle((ignored, ex) -> ended.complete(ex));
        limited.add(new Limited(stage, ended));
        return before.thenCompose((earlier) -> earlier.succeeded()
                        ? ended.thenApply((ex) -> arrived(attempt, ex))
                        : CompletableFuture.completedFuture(DeliveryOutcome.QUEUED))
                .exceptionally((ex) -> DeliveryOutcome.QUEUED);
    }

    private DeliveryOutcome arrived(Attempt attempt, @Nullable Throwable ex) {
        Throwable cause = ex instanceof CompletionException && ex.getCause() != null ? ex.getCause() : ex;
        return cause instanceof CancellationException
                ? DeliveryOutcome.QUEUED
                : arrivals.classify().apply(attempt, cause);
    }

    /** What the handler reports, from any thread. */
    private final class Reported implements LaterOutcomes {

        /** Ids of the events, by the instances of their payloads and envelopes. */
        private final IdentityHashMap<Object, List<Long>> ids = new IdentityHashMap<>();

        @Override
        public void failed(Object event, Throwable cause) {
            Objects.requireNonNull(cause, "cause");
            forEach(event, (id) -> failed.putIfAbsent(id, cause));
        }

        @Override
        public void later(Object event, CompletionStage<?> outcome) {
            Objects.requireNonNull(outcome, "outcome");
            if (decided) {
                throw new IllegalStateException("the handler has returned, so its outcomes are known");
            }
            forEach(event, (id) -> later.putIfAbsent(id, outcome));
        }

        @Override
        public boolean isOver() {
            LeaseGuard guard = attempts.get(0).guard();
            return guard.isClosing() || guard.isLeaseLost();
        }

        /** Two events may have the same payload object, such as a constant: both are meant then, so that none is lost. */
        private void forEach(Object event, LongConsumer report) {
            List<Long> meant = ids().get(event);
            if (meant == null) {
                throw new IllegalArgumentException("the batch does not contain this "
                        + event.getClass().getSimpleName() + "; pass an element of the list, the same instance");
            }
            meant.forEach(report::accept);
        }

        private synchronized IdentityHashMap<Object, List<Long>> ids() {
            if (ids.isEmpty()) {
                for (int i = 0; i < called.size(); i++) {
                    Attempt attempt = called.get(i);
                    add(attempt.envelope(), attempt.id());
                    if (payloads.get(i) != attempt.envelope()) {
                        add(payloads.get(i), attempt.id());
                    }
                }
            }
            return ids;
        }

        private void add(Object event, long id) {
            ids.computeIfAbsent(event, (unknown) -> new ArrayList<>(1)).add(id);
        }
    }
}
