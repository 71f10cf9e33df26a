package dev.outbox.benchmarks.workload;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.arena.Entrant.Kind;
import dev.outbox.benchmarks.arena.Role;
import dev.outbox.benchmarks.arena.Usage;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.worker.Journal.Entry;
import dev.outbox.testing.kafka.KafkaCluster;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;

/**
 * Forwards a backlog to a broker of its own: from the start of the contestant until the topic has a record of each event and nothing
 * is left in the database.
 *
 * @param events the number of events
 * @param keys the number of accounts, which are the keys of the records
 * @param partitions the number of partitions of the topic
 * @param limits the time limits
 */
public record Forward(int events, int keys, int partitions, Limits limits) implements Workload {

    private static final String RATE = "events/s";
    private static final Duration LOOK_EVERY = Duration.ofMillis(10);

    @Override
    public String name() {
        return "forward";
    }

    @Override
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("events", Integer.toString(events));
        parameters.put("keys", Integer.toString(keys));
        parameters.put("partitions", Integer.toString(partitions));
        return parameters;
    }

    @Override
    public boolean suits(Entrant entrant) {
        return entrant.is(Kind.FORWARDER);
    }

    @Override
    public Headline headline() {
        return new Headline(RATE, List.of("floor-producer", "outbox-kafka (tuned)"));
    }

    @Override
    public Measurement run(Arena arena) throws Exception {
        try (KafkaCluster cluster = KafkaCluster.start(1)) {
            return run(arena, new Topic(cluster, partitions), cluster.bootstrapServers());
        }
    }

    private Measurement run(Arena arena, Topic topic, String bootstrapServers) throws Exception {
        int pool = limits.pool(arena.entrant());
        Map<String, String> kafka = Map.of("spring.kafka.bootstrap-servers", bootstrapServers);
        WorkerProcess publisher = arena.open(new Role(false, 1, pool, Role.Calls.NOTHING, kafka));
        Backlog.of(events, keys).publish(publisher);
        List<Entry> committed = publisher.committed().entries();
        publisher.close();
        WorkerProcess forwarder = arena.open(new Role(true, 1, pool, Role.Calls.NOTHING, kafka));
        arena.server().settle();

        Usage before = arena.usage();
        forwarder.send("start");
        long done = await(arena, topic, before.nanos() + limits.longest().toNanos());
        Usage used = arena.usage().since(before);
        List<Entry> records = topic.read();
        long nanos = done < 0 ? used.nanos() : done - before.nanos();
        return new Measurement()
                .with(RATE, records.size() / (nanos / 1e9))
                .with("seconds", nanos / 1e9)
                .with("finished", done < 0 ? 0 : 1)
                .with(used, records.size())
                .with(Deliveries.of(committed, records, 1))
                .with(forwarder.settings());
    }

    /** Returns when the last event was forwarded and nothing was left, or a negative number after the deadline. */
    private long await(Arena arena, Topic topic, long deadline) throws Exception {
        String pending = arena.workers().get(0).pending();
        long looked = System.nanoTime();
        while ((topic.size() < events || arena.server().number(pending) > 0) && looked < deadline) {
            LockSupport.parkNanos(LOOK_EVERY.toNanos());
            looked = System.nanoTime();
        }
        return looked < deadline ? looked : -1;
    }
}
