package dev.outbox.sample.trading.exchange;

/** Behaviour of the exchange for the orders of a market. */
enum Behaviour {
    /** Accepts them. */
    ACCEPT,
    /** Rejects them. */
    REJECT,
    /** Answers that it is too busy. */
    THROTTLE,
    /** Answers that it is too busy, and accepts them from then on. */
    THROTTLE_ONCE,
    /** Accepts them, and loses the answer. */
    LOSE_ANSWER,
    /** Loses the request. */
    LOSE_REQUEST,
    /** Accepts them and answers with an internal error. */
    BREAK,
    /** Refuses connections. */
    UNREACHABLE
}
