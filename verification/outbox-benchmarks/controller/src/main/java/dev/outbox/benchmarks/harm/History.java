package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.options.Case;
import dev.outbox.benchmarks.workload.Measurement;
import dev.outbox.benchmarks.workload.Publish;

/** Publishes and delivers beside 30 days of history. */
final class History extends Harm {

    History() {
        super("history", "history=0,10000 threads=8 poller=on warmup=2 seconds=5");
    }

    @Override
    public Measurement run(Arena arena, Case parameters) throws Exception {
        createTables(arena);
        Tables.addHistory(arena.server(), parameters.number("history"), parameters.number("keys"), 0);
        return new Publish().run(arena, parameters);
    }
}
