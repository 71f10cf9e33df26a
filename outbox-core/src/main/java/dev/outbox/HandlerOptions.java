package dev.outbox;

import dev.outbox.HandlerCode.DeadLetterHandler;
import java.util.List;
import java.util.Set;
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
 * @param selected which events of its types the handler takes
 */
public record HandlerOptions(
        boolean deduplicates,
        OnDead onDead,
        List<String> aliases,
        @Nullable DeadLetterHandler deadLetters,
        @Nullable Batches batch,
        @Nullable CircuitBreaker circuit,
        Selected selected) {

    static final HandlerOptions NONE =
            new HandlerOptions(false, OnDead.CONTINUE, List.of(), null, null, null, Selected.ALL);

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

    /**
     * Events of its types that a handler takes.
     *
     * @param aggregateTypes the aggregate types, or none for all
     * @param streams the streams, or none for all
     * @param source who published the events
     */
    public record Selected(Set<String> aggregateTypes, Set<String> streams, Source source) {

        static final Selected ALL = new Selected(Set.of(), Set.of(), Source.ANY);

        /** Copies the names. */
        public Selected {
            aggregateTypes = Set.copyOf(aggregateTypes);
            streams = Set.copyOf(streams);
        }
    }

    /** Who published the events that a handler takes. */
    public enum Source {
        /** Any service. */
        ANY,
        /** This service. */
        OWN,
        /** Another service: the events have an {@linkplain OutboxEvent#withOrigin origin}. */
        RECEIVED
    }

    HandlerOptions deduplicating() {
        return new HandlerOptions(true, onDead, aliases, deadLetters, batch, circuit, selected);
    }

    HandlerOptions onDead(OnDead changed) {
        return new HandlerOptions(deduplicates, changed, aliases, deadLetters, batch, circuit, selected);
    }

    HandlerOptions aliases(List<String> changed) {
        return new HandlerOptions(deduplicates, onDead, changed, deadLetters, batch, circuit, selected);
    }

    HandlerOptions deadLetters(DeadLetterHandler changed) {
        return new HandlerOptions(deduplicates, onDead, aliases, changed, batch, circuit, selected);
    }

    HandlerOptions batch(Batches changed) {
        return new HandlerOptions(deduplicates, onDead, aliases, deadLetters, changed, circuit, selected);
    }

    HandlerOptions circuit(CircuitBreaker changed) {
        return new HandlerOptions(deduplicates, onDead, aliases, deadLetters, batch, changed, selected);
    }

    HandlerOptions selected(Selected changed) {
        return new HandlerOptions(deduplicates, onDead, aliases, deadLetters, batch, circuit, changed);
    }
}
