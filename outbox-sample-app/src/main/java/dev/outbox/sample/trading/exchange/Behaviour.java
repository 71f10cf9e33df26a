package dev.outbox.sample.trading.exchange;

/** What the exchange does with the orders of a market. */
enum Behaviour {
    /** Takes them. */
    ACCEPT,
    /** Answers that they are wrong. */
    REJECT,
    /** Answers that it is busy. */
    THROTTLE,
    /** Takes them, and its answer is lost. */
    LOSE_ANSWER,
    /** Never gets them, though they were sent. */
    LOSE_REQUEST,
    /** Answers with an error of its own, after having taken them. */
    BREAK,
    /** Cannot be connected to. */
    UNREACHABLE
}
