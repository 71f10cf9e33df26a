package dev.outbox.sample.trading;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** An exchange that does what a test says, and remembers what it was asked to place. */
final class ScriptedExchange implements Exchange {

    private final List<String> placed = new ArrayList<>();
    private Supplier<Answer> script = () -> new Answer.Accepted("exchange-1");
    private Function<String, Executions> executions = (identifier) -> Executions.NONE;
    private Function<String, Optional<String>> orders = (identifier) -> Optional.empty();

    /** What the next placements come to. */
    void answers(Supplier<Answer> next) {
        script = next;
    }

    /** What the next questions for the executions of an identifier find. */
    void executes(Function<String, Executions> next) {
        executions = next;
    }

    /** What the next lookups of an identifier find. */
    void finds(Function<String, Optional<String>> next) {
        orders = next;
    }

    @Override
    public Answer place(Order order) {
        placed.add(order.identifier());
        return script.get();
    }

    @Override
    public Optional<String> find(String identifier) {
        return orders.apply(identifier);
    }

    @Override
    public Executions executions(String identifier) {
        return executions.apply(identifier);
    }

    int placements() {
        return placed.size();
    }
}
