package dev.outbox;

import dev.outbox.HandlerCode.DeadLetterHandler;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Options of a handler.
 *
 * @param deduplicates whether the handler deduplicates
 * @param onDead the policy for later events of the same aggregate after a dead delivery
 * @param aliases the former ids
 * @param deadLetters the code for dead letters, or {@code null} if the handler has none
 * @param batch how the handler takes many events at a time, or {@code null} if it takes single ones
 * @param circuit the circuit breaker, or {@code null} if the handler has none of its own
 * @param filter selects the events of its types that the handler gets
 */
public record HandlerOptions(
        boolean deduplicates,
        OnDead onDead,
        List<String> aliases,
        @Nullable DeadLetterHandler deadLetters,
        @Nullable Batches batch,
        @Nullable CircuitBreaker circuit,
        Predicate<EventEnvelope> filter) {

    static final HandlerOptions NONE =
            new HandlerOptions(false, OnDead.CONTINUE, List.of(), null, null, null, (event) -> true);

    static final HandlerOptions BATCHES = NONE.batch(new Batches(null));

    /** Copies the aliases. */
    public HandlerOptions {
        aliases = List.copyOf(aliases);
    }

    /**
     * Batches of a handler.
     *
     * @param size the maximum number of events, or {@code null} for all that are claimed together
     */
    public record Batches(@Nullable Integer size) {

        /**
         * Checks the size.
         *
         * @throws IllegalArgumentException if the size is below 1
         */
        public Batches {
            if (size != null && size < 1) {
                throw new IllegalArgumentException("batchSize must be at least 1: " + size);
            }
        }
    }

    HandlerOptions deduplicating() {
        return new HandlerOptions(true, onDead, aliases, deadLetters, batch, circuit, filter);
    }

    HandlerOptions onDead(OnDead changed) {
        return new HandlerOptions(deduplicates, changed, aliases, deadLetters, batch, circuit, filter);
    }

    HandlerOptions aliases(List<String> changed) {
        return new HandlerOptions(deduplicates, onDead, changed, deadLetters, batch, circuit, filter);
    }

    HandlerOptions deadLetters(DeadLetterHandler changed) {
        return new HandlerOptions(deduplicates, onDead, aliases, changed, batch, circuit, filter);
    }

    HandlerOptions batch(Batches changed) {
        return new HandlerOptions(deduplicates, onDead, aliases, deadLetters, changed, circuit, filter);
    }

    HandlerOptions circuit(CircuitBreaker changed) {
        return new HandlerOptions(deduplicates, onDead, aliases, deadLetters, batch, changed, filter);
    }

    HandlerOptions accepting(Predicate<EventEnvelope> changed) {
        return new HandlerOptions(deduplicates, onDead, aliases, deadLetters, batch, circuit, changed);
    }
}
