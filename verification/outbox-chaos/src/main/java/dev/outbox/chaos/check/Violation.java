package dev.outbox.chaos.check;

import java.util.List;
import java.util.stream.Collectors;

/**
 * Something that breaks a rule.
 *
 * @param rule the name of the rule
 * @param message what is wrong
 * @param facts the facts, executions and changes of state that show it
 */
public record Violation(String rule, String message, List<?> facts) {

    /** Copies the list. */
    public Violation {
        facts = List.copyOf(facts);
    }

    @Override
    public String toString() {
        return rule + ": " + message
                + facts.stream().map((fact) -> "\n      " + fact).collect(Collectors.joining());
    }
}
