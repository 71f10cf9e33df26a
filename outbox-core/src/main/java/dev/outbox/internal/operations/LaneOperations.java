package dev.outbox.internal.operations;

import dev.outbox.internal.delivery.AuditInfo;
import dev.outbox.internal.store.CandidateStore;
import dev.outbox.internal.store.DeliveryRef;
import dev.outbox.internal.store.OperationStore;
import dev.outbox.internal.store.OperationStore.Done;
import dev.outbox.operations.DeliverySelection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Goes through a selection in batches, each in a transaction of its own: in the order of events, which is that of every lane. Ends with
 * what was there when it began.
 */
final class LaneOperations {

    private static final int BATCH_SIZE = 500;

    private final CandidateStore candidates;
    private final OperationStore store;
    private final Consumer<String> wake;

    LaneOperations(CandidateStore candidates, OperationStore store, Consumer<String> wake) {
        this.candidates = candidates;
        this.store = store;
        this.wake = wake;
    }

    /** Finds the next batch. */
    private interface Search {
        List<DeliveryRef> find(DeliverySelection rest, long newest, int limit) throws SQLException;
    }

    /** Changes a batch of deliveries of one stream. */
    private interface Change {
        Done make(AuditInfo instruction, List<DeliveryRef> batch) throws SQLException;
    }

    Done retry(DeliverySelection selection, AuditInfo instruction) throws SQLException {
        return inBatches(selection, instruction, candidates::findRetryable, store::retry);
    }

    Done skip(DeliverySelection selection, AuditInfo instruction) throws SQLException {
        return inBatches(selection, instruction, candidates::find, store::skip);
    }

    private Done inBatches(DeliverySelection selection, AuditInfo instruction, Search search, Change change)
            throws SQLException {
        long newest = candidates.newest();
        Done done = Done.NOTHING;
        DeliverySelection rest = selection;
        List<DeliveryRef> batch;
        do {
            batch = search.find(rest, newest, BATCH_SIZE);
            for (Map.Entry<String, List<DeliveryRef>> ofStream : byStream(batch).entrySet()) {
                done = done.plus(change.make(instruction, ofStream.getValue()));
                wake.accept(ofStream.getKey());
            }
            if (!batch.isEmpty()) {
                DeliveryRef last = batch.get(batch.size() - 1);
                rest = rest.after(last.key().outboxId(), last.key().handlerId());
            }
        } while (batch.size() == BATCH_SIZE);
        return done;
    }

    private static Map<String, List<DeliveryRef>> byStream(List<DeliveryRef> batch) {
        return batch.stream()
                .collect(Collectors.groupingBy(DeliveryRef::stream, LinkedHashMap::new, Collectors.toList()));
    }
}
