package dev.outbox.repair;

import dev.outbox.DeliverySelection;
import dev.outbox.store.Candidate;
import dev.outbox.store.CandidateStore;
import dev.outbox.store.Instruction;
import dev.outbox.store.OperationStore;
import dev.outbox.store.OperationStore.Done;
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
        List<Candidate> find(DeliverySelection rest, long newest, int limit) throws SQLException;
    }

    /** Changes a batch of deliveries of one stream. */
    private interface Change {
        Done make(Instruction instruction, List<Candidate> batch) throws SQLException;
    }

    Done retry(DeliverySelection selection, Instruction instruction) throws SQLException {
        return inBatches(selection, instruction, candidates::findRetryable, store::retry);
    }

    Done skip(DeliverySelection selection, Instruction instruction) throws SQLException {
        return inBatches(selection, instruction, candidates::find, store::skip);
    }

    private Done inBatches(DeliverySelection selection, Instruction instruction, Search search, Change change)
            throws SQLException {
        long newest = candidates.newest();
        Done done = Done.NOTHING;
        DeliverySelection rest = selection;
        List<Candidate> batch;
        do {
            batch = search.find(rest, newest, BATCH_SIZE);
            for (Map.Entry<String, List<Candidate>> ofStream : byStream(batch).entrySet()) {
                done = done.plus(change.make(instruction, ofStream.getValue()));
                wake.accept(ofStream.getKey());
            }
            if (!batch.isEmpty()) {
                Candidate last = batch.get(batch.size() - 1);
                rest = rest.after(last.key().outboxId(), last.key().handlerId());
            }
        } while (batch.size() == BATCH_SIZE);
        return done;
    }

    private static Map<String, List<Candidate>> byStream(List<Candidate> batch) {
        return batch.stream()
                .collect(Collectors.groupingBy(Candidate::stream, LinkedHashMap::new, Collectors.toList()));
    }
}
