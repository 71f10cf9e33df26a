package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Command;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.arena.Role;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.harm.Harm.Window;
import dev.outbox.benchmarks.worker.Journal.Entry;
import dev.outbox.benchmarks.worker.Message;
import dev.outbox.benchmarks.workload.Measurement;
import dev.outbox.benchmarks.workload.Pause;
import dev.outbox.benchmarks.workload.Percentiles;
import dev.outbox.benchmarks.workload.Workload;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Handles the long backlog of one aggregate, while another process publishes events of other aggregates. The instances share a process.
 *
 * @param instances the number of instances
 * @param backlog the number of events of the aggregate
 * @param seconds the duration
 * @param harm the settings of all harm tests
 */
record LongAggregate(int instances, int backlog, int seconds, Harm harm) implements Workload {

    private static final int RATE = 20;
    private static final int WORK = 1;
    private static final int CONNECTIONS = 8;
    private static final int HOT = 0;

    @Override
    public String name() {
        return "harm-long-aggregate";
    }

    @Override
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("instances", Integer.toString(instances));
        parameters.put("backlog", Integer.toString(backlog));
        parameters.put("seconds", Integer.toString(seconds));
        return parameters;
    }

    @Override
    public boolean suits(Entrant entrant) {
        return entrant.isOutbox();
    }

    @Override
    public Headline headline() {
        return new Headline("events of the aggregate/s", List.of());
    }

    @Override
    public Measurement run(Arena arena) throws Exception {
        harm.createTables(arena);
        Tables.addPending(arena.server(), backlog, 1);
        Role.Calls calls = new Role.Calls(WORK, 0, 0);
        WorkerProcess deliverer = arena.open(new Role(true, 1, CONNECTIONS, calls));
        WorkerProcess publisher = arena.open(new Role(false, 1, CONNECTIONS, calls));
        publisher.send(Command.to("accounts").with("accounts", harm.keys()));
        for (int other = 1; other < instances; other++) {
            deliverer.send(Command.to("perform").with("task", "instance"));
        }
        arena.server().settle();
        deliverer.send("start");
        publisher.send("start");
        publisher.send(Command.to("pace")
                .with("rate", RATE)
                .with("threads", 2)
                .with("keys", harm.keys())
                .with("shared", false)
                .with("seconds", seconds));
        Message published = publisher.send("await");
        long begun = published.longNumber("begun");
        // Leaves out the first third, in which the JVM is cold.
        Window window = new Window(begun + (System.nanoTime() - begun) / 3, System.nanoTime());
        Pause.of(harm.limits().joining());

        List<Entry> handled = deliverer.handled().entries();
        Map<Integer, Long> others = new HashMap<>();
        handled.stream()
                .filter((call) -> call.key() != HOT)
                .forEach((call) -> others.merge(call.number(), call.begun(), Math::min));
        List<Entry> committed = publisher.committed().entries().stream()
                .filter((one) -> one.key() != HOT)
                .toList();
        Percentiles latencies = new Percentiles(committed.stream()
                .filter((one) -> others.containsKey(one.number()))
                .mapToLong((one) -> Math.max(0, others.getOrDefault(one.number(), one.ended()) - one.ended())));
        List<Entry> hot = handled.stream()
                .filter((call) -> call.key() == HOT)
                .sorted(Comparator.comparingLong(Entry::begun))
                .toList();
        return new Measurement()
                .with(
                        "events of the aggregate/s",
                        hot.stream()
                                        .filter((call) -> window.holds(call.ended()))
                                        .count()
                                / window.seconds())
                .with("claim", Harm.claims(deliverer, window))
                .with("other events", latencies)
                .with("other events not handled", (double) committed.size() - latencies.size())
                .with("out of order", outOfOrder(hot))
                .with(deliverer.settings());
    }

    private static double outOfOrder(List<Entry> calls) {
        long disordered = 0;
        for (int call = 1; call < calls.size(); call++) {
            disordered += calls.get(call).seq() < calls.get(call - 1).seq() ? 1 : 0;
        }
        return disordered;
    }
}
