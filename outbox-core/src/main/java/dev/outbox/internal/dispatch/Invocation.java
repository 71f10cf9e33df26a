package dev.outbox.internal.dispatch;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.payload.PayloadReader.EventPayload;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Invokes one handler with one event and classifies the outcome. No exception of the handler leaves it. */
final class Invocation {

    private static final Logger log = LoggerFactory.getLogger(Invocation.class);

    private final FailedAttempts failures;
    private final Circuits circuits;
    private final OutcomeReport report;

    Invocation(FailedAttempts failures, Circuits circuits, OutcomeReport report) {
        this.failures = failures;
        this.circuits = circuits;
        this.report = report;
    }

    /** Invokes the handler on the calling thread, unless its circuit is open or the event is in a crash loop. */
    DeliveryOutcome invoke(HandlerDefinition handler, EventEnvelope envelope, EventPayload payload, Attempt attempt) {
        Circuit circuit = circuits.of(handler);
        if (circuit != null && !circuit.pass()) {
            return DeliveryOutcome.QUEUED;
        }
        long begun = System.nanoTime();
        LogContext context = LogContext.enter(envelope, handler.id(), attempt.attempt());
        try {
            if (failures.isCrashLoop(handler, envelope, attempt)) {
                DeliveryOutcome crashed = failures.crashed(handler, envelope, attempt);
                report.handled(handler, envelope, crashed, Duration.ZERO);
                return crashed;
            }
            DeliveryOutcome outcome = attempt(handler, envelope, payload, attempt);
            report.handled(handler, envelope, outcome, Duration.ofNanos(System.nanoTime() - begun));
            if (circuit != null) {
                updateCircuit(circuit, handler, outcome, envelope);
            }
            return outcome;
        } finally {
            context.leave();
            // The next handler on this thread must not inherit the flag; closing has its own.
            Thread.interrupted();
        }
    }

    private DeliveryOutcome attempt(
            HandlerDefinition handler, EventEnvelope envelope, EventPayload payload, Attempt attempt) {
        try {
            Object argument = payload.decode(handler);
            FaultPoint.BEFORE_HANDLER.reached();
            if (attempt.isLeaseLost()) {
                log.warn("{} is not invoked with {}: the lease has expired", handler.id(), envelope);
                return DeliveryOutcome.ABANDONED;
            }
            // The handler of the registry, which DecoratedHandlers wrapped: deduplication, interceptors, tracing.
            handler.handle(argument, envelope, attempt);
            FaultPoint.AFTER_HANDLER.reached();
            return DeliveryOutcome.SUCCEEDED;
        } catch (Throwable ex) {
            if (attempt.isInterruptedByShutdown(ex)) {
                log.info("{} was interrupted by the shutdown; the event will be delivered again", handler.id());
                return DeliveryOutcome.ABANDONED;
            }
            return failures.failed(handler, envelope, attempt.failures() + 1, ex);
        }
    }

    private void updateCircuit(
            Circuit circuit, HandlerDefinition handler, DeliveryOutcome outcome, EventEnvelope envelope) {
        if (outcome.succeeded()) {
            circuit.succeeded();
        } else if (outcome.failure() != null && circuit.failed(envelope)) {
            report.circuitOpened(handler, envelope);
        }
    }
}
