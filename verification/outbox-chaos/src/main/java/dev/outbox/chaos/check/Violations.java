package dev.outbox.chaos.check;

import dev.outbox.chaos.history.History;
import java.util.ArrayList;
import java.util.List;

/** Collects the violations of one rule. */
final class Violations {

    private final String rule;
    private final List<Violation> found = new ArrayList<>();

    private Violations(String rule) {
        this.rule = rule;
    }

    static List<Violation> of(Rule rule, History history) {
        Violations violations = new Violations(rule.name());
        rule.check(history, violations);
        return violations.found;
    }

    void add(String message, List<?> facts) {
        found.add(new Violation(rule, message, facts));
    }
}
