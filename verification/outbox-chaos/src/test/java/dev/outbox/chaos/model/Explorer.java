package dev.outbox.chaos.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Visits every state that can be reached within bounds, the nearest first, so that the trace of a violation is as short as can be.
 * Workers are interchangeable: states that differ only in their names count as one.
 */
final class Explorer {

    private final Model model;
    private final Visited visited = new Visited();
    private final ArrayDeque<State> frontier = new ArrayDeque<>();
    private long transitions;
    private int depth;

    /**
     * Creates an explorer.
     *
     * @param protocol the rules that are followed
     * @param bounds what makes the states finite
     */
    Explorer(Protocol protocol, Bounds bounds) {
        this.model = new Model(protocol, bounds);
    }

    /**
     * What was found.
     *
     * @param states how many states there are
     * @param transitions how many steps lead from one to another
     * @param depth the number of steps to the farthest one
     * @param violation the first violation; {@code null} if there is none
     */
    record Result(
            int states,
            long transitions,
            int depth,
            @Nullable Violation violation) {}

    /**
     * A property that does not hold.
     *
     * @param property the property
     * @param trace the steps that lead to the violation
     */
    record Violation(Property property, List<String> trace) {}

    /**
     * Visits every state, or those before the first violation.
     *
     * @return what was found
     */
    Result explore() {
        State initial = model.initial().canonical();
        visited.add(initial.fingerprint(), -1);
        frontier.add(initial);
        int endOfLayer = 1;
        for (int number = 0; !frontier.isEmpty(); number++) {
            if (number == endOfLayer) {
                depth++;
                endOfLayer = visited.count();
            }
            Violation violation = expand(frontier.remove(), number);
            if (violation != null) {
                return result(violation);
            }
        }
        int incomplete = visited.incomplete();
        return result(incomplete < 0 ? null : new Violation(Property.NOTHING_LOST, trace(incomplete, null)));
    }

    private Result result(@Nullable Violation violation) {
        return new Result(visited.count(), transitions, depth, violation);
    }

    private @Nullable Violation expand(State state, int number) {
        int successor = model.isComplete(state) ? number : -1;
        for (Steps.Step step : model.steps(state)) {
            transitions++;
            State next = step.next().canonical();
            int known = visited.add(next.fingerprint(), number);
            Property violated =
                    known < 0 ? model.violated(step.next()) : step.next().violated();
            if (violated != null) {
                return new Violation(violated, trace(number, violated));
            }
            if (known < 0) {
                frontier.add(next);
                known = visited.count() - 1;
            }
            if (successor < 0 && !step.isFault() && known != number) {
                successor = known;
            }
        }
        if (successor < 0) {
            return new Violation(Property.NOTHING_LOST, trace(number, null));
        }
        visited.setSuccessor(number, successor);
        return null;
    }

    /** The steps to a state, and the one that violates a property. Goes there again with the workers' names as they are. */
    private List<String> trace(int last, @Nullable Property violated) {
        List<Integer> path = new ArrayList<>();
        for (int state = last; state > 0; state = visited.predecessor(state)) {
            path.add(state);
        }
        Collections.reverse(path);
        List<String> trace = new ArrayList<>();
        State at = model.initial();
        for (int state : path) {
            Steps.Step step = stepTo(at, visited.fingerprint(state));
            trace.add(step.text().get());
            at = step.next();
        }
        if (violated != null) {
            model.steps(at).stream()
                    .filter((step) -> model.violated(step.next()) == violated)
                    .findFirst()
                    .ifPresent((step) -> trace.add(step.text().get()));
        }
        return trace;
    }

    private Steps.Step stepTo(State from, long fingerprint) {
        return model.steps(from).stream()
                .filter((step) -> step.next().canonical().fingerprint() == fingerprint)
                .findFirst()
                .orElseThrow();
    }
}
