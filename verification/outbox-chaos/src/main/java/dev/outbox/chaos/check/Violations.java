package dev.outbox.chaos.check;

import java.util.ArrayList;
import java.util.List;

/** Collects the violations of one rule. */
final class Violations {

    private final String rule;
    private final List<Violation> found = new ArrayList<>();

    Violations(Rule rule) {
        this.rule = rule.name();
    }

    void add(String message, List<?> facts) {
        found.add(new Violation(rule, message, facts));
    }

    List<Violation> found() {
        return found;
    }
}
