package dev.outbox.chaos.model;

/** One of those that take part in the protocol. */
@FunctionalInterface
interface Role {

    /** Adds the steps that are possible in a state. Does not change it. */
    void addSteps(State state, Steps steps);
}
