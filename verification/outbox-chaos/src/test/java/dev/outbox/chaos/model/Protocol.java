package dev.outbox.chaos.model;

import java.util.EnumSet;
import java.util.Set;

/**
 * The rules that publishers, workers and the database follow.
 *
 * @param rules the rules that are switched on
 */
record Protocol(Set<Rule> rules) {

    /** Copies the rules. */
    Protocol {
        rules = Set.copyOf(rules);
    }

    /**
     * Returns the protocol of the library.
     *
     * @return all rules
     */
    static Protocol complete() {
        return new Protocol(EnumSet.allOf(Rule.class));
    }

    /**
     * Switches rules off.
     *
     * @param first a rule
     * @param more others
     * @return the rules that are left
     */
    static Protocol without(Rule first, Rule... more) {
        return new Protocol(EnumSet.complementOf(EnumSet.of(first, more)));
    }

    boolean has(Rule rule) {
        return rules.contains(rule);
    }
}
