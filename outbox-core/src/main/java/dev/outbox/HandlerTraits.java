package dev.outbox;

import dev.outbox.HandlerCode.DeadLetterHandler;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Options of a handler. */
record HandlerTraits(
        boolean deduplicates,
        OnDead onDead,
        List<String> aliases,
        @Nullable DeadLetterHandler deadLetters,
        boolean batches,
        @Nullable Integer batchSize,
        @Nullable CircuitBreaker circuit) {

    static final HandlerTraits NONE = new HandlerTraits(false, OnDead.CONTINUE, List.of(), null, false, null, null);

    HandlerTraits deduplicating() {
        return new HandlerTraits(true, onDead, aliases, deadLetters, batches, batchSize, circuit);
    }

    HandlerTraits onDead(OnDead changed) {
        return new HandlerTraits(deduplicates, changed, aliases, deadLetters, batches, batchSize, circuit);
    }

    HandlerTraits aliases(List<String> changed) {
        return new HandlerTraits(deduplicates, onDead, changed, deadLetters, batches, batchSize, circuit);
    }

    HandlerTraits deadLetters(DeadLetterHandler changed) {
        return new HandlerTraits(deduplicates, onDead, aliases, changed, batches, batchSize, circuit);
    }

    HandlerTraits ofBatches() {
        return new HandlerTraits(deduplicates, onDead, aliases, deadLetters, true, batchSize, circuit);
    }

    HandlerTraits batchSize(int changed) {
        if (changed < 1) {
            throw new IllegalArgumentException("batchSize must be at least 1: " + changed);
        }
        return new HandlerTraits(deduplicates, onDead, aliases, deadLetters, batches, changed, circuit);
    }

    HandlerTraits circuit(CircuitBreaker changed) {
        return new HandlerTraits(deduplicates, onDead, aliases, deadLetters, batches, batchSize, changed);
    }
}
