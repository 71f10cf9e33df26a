package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.workload.Measurement;
import dev.outbox.benchmarks.workload.Publish;
import dev.outbox.benchmarks.workload.Workload;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Publishes and delivers beside 30 days of history.
 *
 * @param history the number of events in history
 * @param publish the workload
 * @param harm the settings of all harm tests
 */
record History(long history, Publish publish, Harm harm) implements Workload {

    @Override
    public String name() {
        return "harm-history";
    }

    @Override
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>(publish.parameters());
        parameters.put("history", Long.toString(history));
        return parameters;
    }

    @Override
    public boolean suits(Entrant entrant) {
        return entrant.isOutbox();
    }

    @Override
    public Headline headline() {
        return publish.headline();
    }

    @Override
    public Measurement run(Arena arena) throws Exception {
        harm.createTables(arena);
        Tables.addHistory(arena.server(), history, harm.keys(), 0);
        return publish.run(arena);
    }
}
