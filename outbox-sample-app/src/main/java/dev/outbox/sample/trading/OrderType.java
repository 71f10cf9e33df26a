package dev.outbox.sample.trading;

/** Type of an order. */
public enum OrderType {
    /** Executes at the price of the order or a better one. */
    LIMIT,
    /** Executes at once, at any price. */
    MARKET
}
