package dev.outbox.sample.demo;

/** What a simulated gateway does wrong. Only the bank can decline; the bank, the courier and Discord can lose answers. */
public enum Outage {
    NONE,
    DOWN,
    DECLINE,
    LOSE_ANSWER
}
