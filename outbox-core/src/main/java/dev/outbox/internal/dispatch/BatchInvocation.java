package dev.outbox.internal.dispatch;

import dev.outbox.BatchHandler.Batch;
import dev.outbox.HandlerDefinition;
import dev.outbox.internal.failure.Redaction;
import dev.outbox.internal.fault.FaultPoint;
import dev.outbox.internal.lease.LeaseGuard;
import java.time.Clock;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Invokes a batch handler with many events and classifies the outcome of each. No exception of the handler leaves it. */
final class BatchInvocation {

    private static final Logger log = LoggerFactory.getLogger(BatchInvocation.class);

    private final FailedAttempts failures;
    private final Circuits circuits;
    private final OutcomeReport report;
    private final Clock clock;

    BatchInvocation(FailedAttempts failures, Circuits circuits, OutcomeReport report, Clock clock) {
        this.failures = failures;
        this.circuits = circuits;
        this.report = report;
        this.clock = clock;
    }

    /** Invokes the handler on the calling thread, unless its circuit is open. Returns an outcome for each event. */
    List<DeliveryOutcome> invoke(HandlerDefinition handler, List<BatchItem> items, LeaseGuard guard) {
        Circuit circuit = circuits.of(handler);
        if (circuit != null && !circuit.pass()) {
            return Collections.nCopies(items.size(), DeliveryOutcome.QUEUED);
        }
        long begun = System.nanoTime();
        LogContext context = LogContext.enterBatch(items.get(0).envelope(), handler.id(), items.size());
        try {
            BatchResult result = new BatchResult(handler, items, failures);
            result.decode();
            List<DeliveryOutcome> outcomes =
                    result.called().isEmpty() || call(handler, result, guard) ? result.outcomes() : result.abandoned();
            Duration share = Duration.ofNanos((System.nanoTime() - begun) / items.size());
            for (int i = 0; i < outcomes.size(); i++) {
                report.handled(handler, items.get(i).envelope(), outcomes.get(i), share);
            }
            if (result.failures() > 1) {
                log.warn(
                        "{} failed with {} of {} events, the first of which is logged",
                        handler.id(),
                        result.failures(),
                        items.size());
            }
            if (circuit != null) {
                updateCircuit(circuit, handler, items, outcomes, result.thrown());
            }
            return outcomes;
        } finally {
            context.leave();
            Thread.interrupted();
        }
    }

    /** Returns {@code false} if nothing is known about the events. */
    private boolean call(HandlerDefinition handler, BatchResult result, LeaseGuard guard) {
        List<BatchItem> called = result.called();
        Attempt attempt =
                Attempt.ofBatch(called.stream().map(BatchItem::attempt).toList(), guard, clock);
        try {
            FaultPoint.BEFORE_HANDLER.reached();
            if (attempt.isLeaseLost()) {
                log.warn("{} is not invoked with {} events: the lease has expired", handler.id(), called.size());
                return false;
            }
            Batch batch = result.batch();
            handler.handle(batch, batch.events().get(0), attempt);
            FaultPoint.AFTER_HANDLER.reached();
        } catch (Throwable ex) {
            if (attempt.isInterruptedByShutdown(ex)) {
                log.info("{} was interrupted by the shutdown; its events will be delivered again", handler.id());
                return false;
            }
            result.thrown(ex);
            if (called.size() > 1) {
                log.warn(
                        "{} failed with {} events; they are delivered again, and each alone at its last attempt",
                        handler.id(),
                        called.size(),
                        Redaction.loggable(ex));
            }
        }
        return true;
    }

    /** An exception counts once: it may be the fault of one event. */
    private void updateCircuit(
            Circuit circuit,
            HandlerDefinition handler,
            List<BatchItem> items,
            List<DeliveryOutcome> outcomes,
            @Nullable Throwable thrown) {
        if (outcomes.stream().anyMatch((outcome) -> outcome.succeeded())) {
            circuit.succeeded();
            return;
        }
        for (int i = 0; i < outcomes.size(); i++) {
            DeliveryOutcome outcome = outcomes.get(i);
            boolean failed = outcome.failure() != null;
            if (failed && circuit.failed(items.get(i).envelope())) {
                report.circuitOpened(handler, items.get(i).envelope());
            }
            if (failed && thrown != null) {
                return;
            }
        }
    }
}
