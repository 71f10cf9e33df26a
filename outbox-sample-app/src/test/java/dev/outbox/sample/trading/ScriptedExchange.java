package dev.outbox.sample.trading;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** An exchange that does what a test says, and remembers what it was asked to place. */
final class ScriptedExchange implements Exchange {

    private final List<String> placed = new ArrayList<>();
    private Supplier<Answer> script = () -> new Answer.Accepted("exchange-1");

    /** What the next placements come to. */
    void answers(Supplier<Answer> next) {
        script = next;
    }

    @Override
    public Answer place(Order order) {
        placed.add(order.identifier());
        return script.get();
    }

    @Override
    public Optional<String> find(String identifier) {
        return Optional.empty();
    }

    int placements() {
        return placed.size();
    }
}
