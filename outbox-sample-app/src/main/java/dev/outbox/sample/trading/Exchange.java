package dev.outbox.sample.trading;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Exchange that takes orders. The property {@code trading.exchange} names the implementation, by default the simulated one. The exchange
 * reports executions to {@link Fills}, or is asked for them.
 */
public interface Exchange {

    /**
     * Places an order.
     *
     * @throws ExchangeUnreachableException if nothing was sent
     * @throws NoAnswerException if it is unknown whether the order was placed
     */
    Answer place(Order order);

    /**
     * Looks an order up.
     *
     * @return the exchange's id of the order, or empty if it has no order with this identifier
     * @throws ExchangeUnreachableException if nothing was sent
     * @throws NoAnswerException if the exchange did not answer
     */
    Optional<String> find(String identifier);

    /**
     * Reads the executions of an order, at an exchange that does not report them itself.
     *
     * @return all executions so far, and whether they are the last ones
     * @throws ExchangeUnreachableException if nothing was sent
     * @throws NoAnswerException if the exchange did not answer
     */
    default Executions executions(String identifier) {
        return Executions.NONE;
    }

    /**
     * Executions of an order.
     *
     * @param fills the executions so far
     * @param complete whether no other execution can follow, because the order was executed or canceled
     */
    record Executions(List<Fill> fills, boolean complete) {

        /** No execution so far. */
        public static final Executions NONE = new Executions(List.of(), false);
    }

    /** Answer of the exchange to an order. */
    sealed interface Answer {

        /** The exchange has accepted the order. */
        record Accepted(String exchangeOrderId) implements Answer {}

        /** The exchange has rejected the order for good. */
        record Rejected(String reason) implements Answer {}

        /** The exchange was too busy to process the order. */
        record Throttled(Duration retryAfter) implements Answer {}
    }
}
