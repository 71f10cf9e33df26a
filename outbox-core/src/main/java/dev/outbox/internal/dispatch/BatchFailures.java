package dev.outbox.internal.dispatch;

import dev.outbox.BatchHandler.Batch;
import dev.outbox.BatchOutcome;
import dev.outbox.EventEnvelope;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

/** Failures of single events of a deduplicating batch handler, kept until its transaction has rolled back. */
final class BatchFailures implements BatchOutcome {

    private final Batch batch;
    private final Map<EventEnvelope, Throwable> failed = Collections.synchronizedMap(new LinkedHashMap<>());

    BatchFailures(Batch batch) {
        this.batch = batch;
    }

    /** Rolls the transaction back. */
    static final class SingleFailuresException extends Exception {

        private static final long serialVersionUID = 1L;
    }

    @Override
    public void failed(Object event, Throwable cause) {
        Objects.requireNonNull(cause, "cause");
        boolean found = false;
        for (int i = 0; i < batch.events().size(); i++) {
            EventEnvelope envelope = batch.events().get(i);
            if (envelope == event || batch.payloads().get(i) == event) {
                failed.putIfAbsent(envelope, cause);
                found = true;
            }
        }
        if (!found) {
            batch.outcome().failed(event, cause);
        }
    }

    void throwIfAny() throws SingleFailuresException {
        if (!failed.isEmpty()) {
            throw new SingleFailuresException();
        }
    }

    void reportTo(BatchOutcome outcome) {
        failed.forEach(outcome::failed);
    }

    /** Returns whether neither the event nor an earlier one of its aggregate has failed. */
    boolean isUntouched(EventEnvelope event) {
        return failed.keySet().stream()
                .noneMatch((one) -> one.aggregateType().equals(event.aggregateType())
                        && one.aggregateId().equals(event.aggregateId())
                        && one.aggregateSeq() <= event.aggregateSeq());
    }

    /** Returns a part of the batch. */
    Batch only(Predicate<EventEnvelope> part, BatchOutcome outcome) {
        List<Object> payloads = new ArrayList<>();
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < batch.events().size(); i++) {
            if (part.test(batch.events().get(i))) {
                payloads.add(batch.payloads().get(i));
                events.add(batch.events().get(i));
            }
        }
        return new Batch(payloads, events, outcome);
    }
}
