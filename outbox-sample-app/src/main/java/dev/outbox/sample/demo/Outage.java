package dev.outbox.sample.demo;

/** What a simulated gateway does wrong. Only the bank can decline, or lose answers. */
public enum Outage {
    NONE,
    DOWN,
    DECLINE,
    LOSE_ANSWER
}
