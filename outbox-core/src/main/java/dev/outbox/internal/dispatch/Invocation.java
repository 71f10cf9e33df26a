package dev.outbox.internal.dispatch;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.failure.Failure;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.listener.OutboxListener;
import dev.outbox.listener.OutboxListener.Result;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Invokes a handler with a batch, of one event unless it is a batch handler, and classifies each outcome. No exception of the handler leaves it. */
final class Invocation {

    private static final Logger log = LoggerFactory.getLogger(Invocation.class);

    private final FailedAttempts failures;
    private final DispatchSettings settings;
    private final Circuits circuits;
    private final OutboxListener listener;
    private final Clock clock;

    Invocation(
            FailedAttempts failures,
            DispatchSettings settings,
            Circuits circuits,
            OutboxListener listener,
            Clock clock) {
        this.failures = failures;
        this.settings = settings;
        this.circuits = circuits;
        this.listener = listener;
        this.clock = clock;
    }

    /**
     * Delivers events to a batch handler, or one event to a handler of single events. Returns their outcomes, from the first on. Whatever is
     * thrown around the handler is a failed attempt too: the last resort that keeps the stream moving.
     */
    List<DeliveryOutcome> deliver(HandlerDefinition handler, List<Attempt> attempts) {
        try {
            return invoke(handler, attempts);
        } catch (Throwable ex) {
            BatchResult result = new BatchResult(handler, attempts, failures, arrivals(handler, System.nanoTime()));
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
    private List<DeliveryOutcome> invoke(HandlerDefinition handler, List<Attempt> attempts) {
        Circuits.Circuit circuit = circuits.of(handler);
        if (circuit != null && !circuit.pass()) {
            return Collections.nCopies(attempts.size(), DeliveryOutcome.QUEUED);
        }
        long begun = System.nanoTime();
        Attempt first = attempts.get(0);
        LogContext context = handler.isBatch()
                ? LogContext.enterBatch(attempts, handler.id())
                : LogContext.enter(first.envelope(), handler.id(), first.attempt());
        try {
            // Crash suspects are claimed alone.
            if (failures.isCrashLoop(handler, first)) {
                DeliveryOutcome crashed = failures.crashed(handler, first);
                report(handler, first.envelope(), crashed, Duration.ZERO);
                return List.of(crashed);
            }
            BatchResult result = new BatchResult(handler, attempts, failures, arrivals(handler, begun));
            List<DeliveryOutcome> outcomes = call(handler, first, result)
                    ? result.outcomes()
                    : Collections.nCopies(attempts.size(), DeliveryOutcome.ABANDONED);
            Duration share = Duration.ofNanos((System.nanoTime() - begun) / attempts.size());
            List<DeliveryOutcome> timed = new ArrayList<>(outcomes.size());
            for (int i = 0; i < outcomes.size(); i++) {
                report(handler, attempts.get(i).envelope(), outcomes.get(i), share);
                if (outcomes.get(i).succeeded()) {
                    failures.handled(handler, attempts.get(i));
                }
                timed.add(outcomes.get(i).after(share));
            }
            if (circuit != null) {
                updateCircuit(circuit, handler, attempts, outcomes, result);
            }
            return timed;
        } finally {
            context.leave();
            // The next handler on this thread must not inherit the flag; closing has its own.
            Thread.interrupted();
        }
    }

    private BatchResult.Arrivals arrivals(HandlerDefinition handler, long begun) {
        return new BatchResult.Arrivals(
                settings.timeoutOf(handler), (attempt, ex) -> arrived(handler, attempt, begun, ex));
    }

    /** Classifies an outcome that came after its handler had returned, on the thread that brings it. */
    private DeliveryOutcome arrived(HandlerDefinition handler, Attempt attempt, long begun, @Nullable Throwable ex) {
        EventEnvelope envelope = attempt.envelope();
        Duration took = Duration.ofNanos(System.nanoTime() - begun);
        Circuits.Circuit circuit = circuits.of(handler);
        // A success without a failure before logs nothing, and entering costs as much as all the rest.
        LogContext context = ex == null && attempt.failures() == 0
                ? null
                : LogContext.enter(envelope, handler.id(), attempt.attempt());
        try {
            DeliveryOutcome outcome = ex == null
                    ? DeliveryOutcome.SUCCEEDED
                    : failures.failed(handler, attempt, ex).after(took);
            report(handler, envelope, outcome, took);
            if (ex == null) {
                failures.handled(handler, attempt);
            }
            if (circuit == null) {
                return outcome;
            }
            if (ex == null) {
                circuit.succeeded();
            } else if (Causes.opensCircuit(ex) && circuit.failed(envelope)) {
                listener.circuitOpened(envelope.stream(), handler.id());
            }
            return outcome;
        } finally {
            if (context != null) {
                context.leave();
            }
        }
    }

    /** Returns {@code false} if nothing is known about the events. */
    private boolean call(HandlerDefinition handler, Attempt first, BatchResult result) {
        try {
            result.decode();
            if (result.called().isEmpty()) {
                return true;
            }
            FaultPoint.BEFORE_HANDLER.reached();
            Attempt attempt = Attempt.ofBatch(result.called());
            // The handler of the registry, which DecoratedHandlers wrapped: deduplication, interceptors, tracing.
            handler.handle(result.argument(), attempt.envelope(), attempt);
            FaultPoint.AFTER_HANDLER.reached();
        } catch (Throwable ex) {
            if (first.isInterruptedByShutdown(ex)) {
                log.info(
                        "{} was interrupted by the shutdown; {} will be delivered again",
                        handler.id(),
                        handler.isBatch() ? "its events" : "the event");
                return false;
            }
            result.thrown(ex);
        }
        // Whatever an interceptor has made of the refusal.
        if (first.guard().hasRefused()) {
            log.warn(
                    "{} is not invoked with {}: the lease has expired",
                    handler.id(),
                    handler.isBatch() ? result.called().size() + " events" : first.envelope());
            return false;
        }
        return true;
    }

    /** An exception counts once: it may be the fault of one event. What a handler lets wait, although it works for others, does not count. */
    private void updateCircuit(
            Circuits.Circuit circuit,
            HandlerDefinition handler,
            List<Attempt> attempts,
            List<DeliveryOutcome> outcomes,
            BatchResult result) {
        if (outcomes.stream().anyMatch(DeliveryOutcome::succeeded)) {
            circuit.succeeded();
            return;
        }
        for (int i = 0; i < outcomes.size(); i++) {
            DeliveryOutcome outcome = outcomes.get(i);
            EventEnvelope envelope = attempts.get(i).envelope();
            boolean failed = outcome.failure() != null && result.opensCircuit(attempts.get(i));
            if (failed && circuit.failed(envelope)) {
                listener.circuitOpened(envelope.stream(), handler.id());
            }
            if (failed && result.thrown() != null) {
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
            case QUEUED, LATER, ABANDONED -> {}
        }
    }
}
