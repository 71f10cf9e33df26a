package dev.outbox.internal.dispatch;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.internal.lease.LeaseGuard;
import dev.outbox.internal.payload.PayloadReader;
import dev.outbox.listener.OutboxListener;
import java.time.Clock;
import java.util.List;
import java.util.random.RandomGenerator;

/** Invokes handlers of single events and batch handlers. */
final class Invocations {

    private final DispatchSettings settings;
    private final PayloadReader reader;
    private final Clock clock;
    private final FailedAttempts failures;
    private final Invocation single;
    private final BatchInvocation batch;

    Invocations(
            DispatchSettings settings,
            PayloadReader reader,
            Circuits circuits,
            OutboxListener listener,
            Clock clock,
            RandomGenerator random) {
        this.settings = settings;
        this.reader = reader;
        this.clock = clock;
        this.failures = new FailedAttempts(settings, random);
        OutcomeReport report = new OutcomeReport(listener, clock);
        this.single = new Invocation(failures, circuits, report);
        this.batch = new BatchInvocation(failures, circuits, report, clock);
    }

    BatchItem firstAttempt(EventEnvelope envelope, LeaseGuard guard) {
        return item(envelope, Attempt.first(guard, clock));
    }

    BatchItem item(EventEnvelope envelope, Attempt attempt) {
        return new BatchItem(envelope, reader.of(envelope), attempt);
    }

    /** Invokes the handler. Whatever is thrown around it is a failed attempt too: the last resort that keeps the stream moving. */
    DeliveryOutcome invoke(HandlerDefinition handler, BatchItem item) {
        try {
            return single.invoke(handler, item.envelope(), item.payload(), item.attempt());
        } catch (Throwable ex) {
            return failures.failed(handler, item.envelope(), item.attempt().failures() + 1, ex);
        }
    }

    /** As {@link #invoke(HandlerDefinition, BatchItem)}, for many events. */
    List<DeliveryOutcome> invoke(HandlerDefinition handler, List<BatchItem> items, LeaseGuard guard) {
        try {
            return batch.invoke(handler, items, guard);
        } catch (Throwable ex) {
            BatchResult result = new BatchResult(handler, items, failures);
            result.allThrown(ex);
            return result.outcomes();
        }
    }

    /** Returns how many events an invocation of a handler may take. */
    int batchSize(HandlerDefinition handler) {
        return settings.batchSize(handler);
    }

    /** The last attempt on an event is made alone: it may be the one that makes the handler throw for all of a batch. */
    List<BatchItem> together(HandlerDefinition handler, List<BatchItem> items) {
        int size = 0;
        while (size < items.size() && !isLastAttempt(handler, items.get(size))) {
            size++;
        }
        return items.subList(0, Math.max(size, 1));
    }

    private boolean isLastAttempt(HandlerDefinition handler, BatchItem item) {
        int failed = item.attempt().failures();
        return failed > 0 && failures.isLastAttempt(handler, item.envelope(), failed);
    }
}
