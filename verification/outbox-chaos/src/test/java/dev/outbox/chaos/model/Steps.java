package dev.outbox.chaos.model;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** The steps that are possible in a state. */
final class Steps {

    private final List<Step> list = new ArrayList<>();

    /**
     * A step.
     *
     * @param next the state that it leads to
     * @param isFault whether it is something that goes wrong
     * @param text what happens, for people to read
     */
    record Step(State next, boolean isFault, Supplier<String> text) {}

    void add(State next, Supplier<String> text) {
        list.add(new Step(next, false, text));
    }

    void addFault(Fault fault, State next, Supplier<String> text) {
        next.count(fault);
        list.add(new Step(next, true, text));
    }

    List<Step> list() {
        return list;
    }
}
