package dev.outbox.internal.dispatch;

import dev.outbox.BatchHandler.Batch;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.internal.failure.Failure;
import dev.outbox.internal.failure.Redaction;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.listener.OutboxListener;
import dev.outbox.listener.OutboxListener.Result;
import java.time.Clock;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Invokes a handler with one event, or a batch handler with many, and classifies the outcome of each. No exception of the handler leaves it. */
final class Invocation {

    private static final Logger log = LoggerFactory.getLogger(Invocation.class);

    private final FailedAttempts failures;
    private final Circuits circuits;
    private final OutboxListener listener;
    private final Clock clock;

    Invocation(FailedAttempts failures, Circuits circuits, OutboxListener listener, Clock clock) {
        this.failures = failures;
        this.circuits = circuits;
        this.listener = listener;
        this.clock = clock;
    }

    /** Invokes the handler. Whatever is thrown around it is a failed attempt too: the last resort that keeps the stream moving. */
    DeliveryOutcome invoke(HandlerDefinition handler, Attempt attempt) {
        try {
            return invokeOne(handler, attempt);
        } catch (Throwable ex) {
            return failures.failed(handler, attempt, ex);
        }
    }

    /** As {@link #invoke(HandlerDefinition, Attempt)}, for many events. Returns an outcome for each. */
    List<DeliveryOutcome> invoke(HandlerDefinition handler, List<Attempt> attempts) {
        try {
            return invokeAll(handler, attempts);
        } catch (Throwable ex) {
            BatchResult result = new BatchResult(handler, attempts, failures);
            result.allThrown(ex);
            return result.outcomes();
        }
    }

    /** Makes a dead letter of an event that cannot be read. */
    DeliveryOutcome unreadable(HandlerDefinition handler, Attempt attempt, Failure failure) {
        DeliveryOutcome outcome = failures.unreadable(handler, attempt, failure);
        report(handler, attempt.envelope(), outcome, Duration.ZERO);
        return outcome;
    }

    /** Invokes the handler on the calling thread, unless its circuit is open or the event is in a crash loop. */
    private DeliveryOutcome invokeOne(HandlerDefinition handler, Attempt attempt) {
        Circuits.Circuit circuit = circuits.of(handler);
        if (circuit != null && !circuit.pass()) {
            return DeliveryOutcome.QUEUED;
        }
        long begun = System.nanoTime();
        EventEnvelope envelope = attempt.envelope();
        LogContext context = LogContext.enter(envelope, handler.id(), attempt.attempt());
        try {
            if (failures.isCrashLoop(handler, attempt)) {
                DeliveryOutcome crashed = failures.crashed(handler, attempt);
                report(handler, envelope, crashed, Duration.ZERO);
                return crashed;
            }
            DeliveryOutcome outcome = call(handler, attempt);
            Duration duration = Duration.ofNanos(System.nanoTime() - begun);
            report(handler, envelope, outcome, duration);
            if (circuit != null) {
                updateCircuit(circuit, handler, List.of(attempt), List.of(outcome), (one) -> false, null);
            }
            return outcome.after(duration);
        } finally {
            context.leave();
            // The next handler on this thread must not inherit the flag; closing has its own.
            Thread.interrupted();
        }
    }

    private DeliveryOutcome call(HandlerDefinition handler, Attempt attempt) {
        try {
            Object argument = attempt.payload().decode(handler);
            FaultPoint.BEFORE_HANDLER.reached();
            if (attempt.isLeaseLost()) {
                log.warn("{} is not invoked with {}: the lease has expired", handler.id(), attempt.envelope());
                return DeliveryOutcome.ABANDONED;
            }
            // The handler of the registry, which DecoratedHandlers wrapped: deduplication, interceptors, tracing.
            handler.handle(argument, attempt.envelope(), attempt);
            FaultPoint.AFTER_HANDLER.reached();
            return DeliveryOutcome.SUCCEEDED;
        } catch (Throwable ex) {
            if (attempt.isInterruptedByShutdown(ex)) {
                log.info("{} was interrupted by the shutdown; the event will be delivered again", handler.id());
                return DeliveryOutcome.ABANDONED;
            }
            return failures.failed(handler, attempt, ex);
        }
    }

    private List<DeliveryOutcome> invokeAll(HandlerDefinition handler, List<Attempt> attempts) {
        Circuits.Circuit circuit = circuits.of(handler);
        if (circuit != null && !circuit.pass()) {
            return Collections.nCopies(attempts.size(), DeliveryOutcome.QUEUED);
        }
        long begun = System.nanoTime();
        LogContext context = LogContext.enterBatch(attempts, handler.id());
        try {
            BatchResult result = new BatchResult(handler, attempts, failures);
            result.decode();
            List<DeliveryOutcome> outcomes =
                    result.called().isEmpty() || call(handler, result) ? result.outcomes() : result.abandoned();
            Duration share = Duration.ofNanos((System.nanoTime() - begun) / attempts.size());
            for (int i = 0; i < outcomes.size(); i++) {
                report(handler, attempts.get(i).envelope(), outcomes.get(i), share);
            }
            if (result.failures() > 1) {
                log.warn(
                        "{} failed with {} of {} events, the first of which is logged",
                        handler.id(),
                        result.failures(),
                        attempts.size());
            }
            if (circuit != null) {
                updateCircuit(circuit, handler, attempts, outcomes, result::isSelfReported, result.thrown());
            }
            return outcomes.stream().map((outcome) -> outcome.after(share)).toList();
        } finally {
            context.leave();
            Thread.interrupted();
        }
    }

    /** Returns {@code false} if nothing is known about the events. */
    private boolean call(HandlerDefinition handler, BatchResult result) {
        int called = result.called().size();
        Attempt attempt = Attempt.ofBatch(result.called());
        try {
            FaultPoint.BEFORE_HANDLER.reached();
            if (attempt.isLeaseLost()) {
                log.warn("{} is not invoked with {} events: the lease has expired", handler.id(), called);
                return false;
            }
            Batch batch = result.batch();
            handler.handle(batch, attempt.envelope(), attempt);
            FaultPoint.AFTER_HANDLER.reached();
        } catch (Throwable ex) {
            if (attempt.isInterruptedByShutdown(ex)) {
                log.info("{} was interrupted by the shutdown; its events will be delivered again", handler.id());
                return false;
            }
            result.thrown(ex);
            if (called > 1 && failures.isNews(handler, ex)) {
                log.warn(
                        "{} failed with {} events; they are delivered again, and each alone at its last attempt",
                        handler.id(),
                        called,
                        Redaction.loggable(ex));
            }
        }
        return true;
    }

    /** An exception counts once: it may be the fault of one event. What a handler lets wait, although it works for others, does not count. */
    private void updateCircuit(
            Circuits.Circuit circuit,
            HandlerDefinition handler,
            List<Attempt> attempts,
            List<DeliveryOutcome> outcomes,
            Predicate<Attempt> letsWait,
            @Nullable Throwable thrown) {
        if (outcomes.stream().anyMatch((outcome) -> outcome.succeeded())) {
            circuit.succeeded();
            return;
        }
        for (int i = 0; i < outcomes.size(); i++) {
            DeliveryOutcome outcome = outcomes.get(i);
            EventEnvelope envelope = attempts.get(i).envelope();
            boolean failed = outcome.failure() != null && !letsWait.test(attempts.get(i));
            if (failed && circuit.failed(envelope)) {
                listener.circuitOpened(envelope.stream(), handler.id());
            }
            if (failed && thrown != null) {
                return;
            }
        }
    }

    /** Tells the listener how an attempt ended. */
    private void report(HandlerDefinition handler, EventEnvelope envelope, DeliveryOutcome outcome, Duration duration) {
        OutboxListener.Attempt attempt =
                new OutboxListener.Attempt(envelope.stream(), envelope.eventType(), handler.id());
        switch (outcome.kind()) {
            case SUCCEEDED -> {
                listener.handled(attempt, Result.SUCCESS, duration);
                listener.delivered(envelope.stream(), Duration.between(envelope.occurredAt(), clock.instant()));
            }
            case FAILED, DEFERRED -> listener.handled(attempt, Result.RETRY, duration);
            case DEAD, BLOCKED -> listener.handled(attempt, Result.DEAD, duration);
            case QUEUED, ABANDONED -> {}
        }
    }
}
