package dev.outbox.sample.trading;

import java.time.Duration;
import java.util.Optional;

/** Where orders are placed. */
public interface Exchange {

    /**
     * Places an order.
     *
     * @throws ExchangeUnreachableException if nothing was sent
     * @throws NoAnswerException if the order may have been placed, or not
     */
    Answer place(OrderAttempt attempt);

    /**
     * Asks for an order.
     *
     * @return the exchange's own id of it; empty if it has none with this identifier
     * @throws ExchangeUnreachableException if nothing was sent
     * @throws NoAnswerException if nothing came back
     */
    Optional<String> find(String identifier);

    /** What the exchange says to an order. */
    sealed interface Answer {

        /** It has the order. */
        record Accepted(String exchangeOrderId) implements Answer {}

        /** It does not want the order, and never will. */
        record Rejected(String reason) implements Answer {}

        /** It has not looked at the order. */
        record Throttled(Duration retryAfter) implements Answer {}
    }
}
