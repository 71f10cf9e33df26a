package dev.outbox.benchmarks.workload;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.arena.Entrant.Kind;
import dev.outbox.benchmarks.arena.Usage;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.options.Case;
import dev.outbox.benchmarks.options.Options;
import dev.outbox.benchmarks.worker.Journal.Entry;
import dev.outbox.benchmarks.worker.Pause;
import dev.outbox.benchmarks.worker.Role;
import dev.outbox.testing.kafka.KafkaCluster;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Forwards a backlog to a broker of its own: from the start of the contestant, or the end of its warm-up, until the topic has a record
 * of each event and nothing is left in the database.
 */
public final class Forward implements Workload {

    private static final String RATE = "events/s";
    private static final Duration LOOK_EVERY = Duration.ofMillis(10);

    @Override
    public String name() {
        return "forward";
    }

    @Override
    public Map<String, String> options() {
        return Options.defaults("events=100000 keys=10000,100,1 partitions=3 warmup-events=0");
    }

    @Override
    public boolean suits(Entrant entrant, Case parameters) {
        return entrant.is(Kind.FORWARDER);
    }

    @Override
    public Measurement run(Arena arena, Case parameters) throws Exception {
        try (KafkaCluster cluster = KafkaCluster.start(1)) {
            Topic topic = new Topic(cluster, parameters.number("partitions"));
            return run(arena, parameters, topic, cluster.bootstrapServers());
        }
    }

    private static Measurement run(Arena arena, Case parameters, Topic topic, String bootstrapServers)
            throws Exception {
        int warmup = parameters.number("warmup-events");
        int events = warmup + parameters.number("events");
        Map<String, String> kafka = Map.of("spring.kafka.bootstrap-servers", bootstrapServers);
        WorkerProcess publisher = arena.open(Role.publisher(arena.pool()).with(kafka));
        publisher.remote().publishBacklog(events, 0, parameters.number("keys"));
        List<Entry> committed = publisher.committed().entries();
        publisher.close();
        WorkerProcess forwarder = arena.open(Role.deliverer(arena.pool()).with(kafka));
        arena.server().settle();

        Usage before = arena.usage();
        forwarder.remote().start();
        long warm = 0;
        if (warmup > 0) {
            awaitRecords(arena, topic, warmup);
            warm = topic.size();
            before = arena.usage();
        }
        long done = await(arena, topic, events);
        Usage used = arena.usage().since(before);
        List<Entry> records = topic.read();
        long forwarded = records.size() - warm;
        long nanos = done < 0 ? used.nanos() : done - before.nanos();
        return new Measurement()
                .with(RATE, forwarded / (nanos / 1e9))
                .with("seconds", nanos / 1e9)
                .withEnd(done)
                .with(used, forwarded)
                .with(Deliveries.of(committed, records));
    }

    private static void awaitRecords(Arena arena, Topic topic, int records) throws Exception {
        long deadline = arena.deadline();
        while (topic.size() < records && System.nanoTime() < deadline) {
            Pause.of(LOOK_EVERY);
        }
    }

    /** Returns when the last event was forwarded and nothing was left, or a negative number after the deadline. */
    private static long await(Arena arena, Topic topic, int events) throws Exception {
        long deadline = arena.deadline();
        String pending = arena.workers().get(0).pending();
        long looked = System.nanoTime();
        while ((topic.size() < events || arena.server().number(pending) > 0) && looked < deadline) {
            Pause.of(LOOK_EVERY);
            looked = System.nanoTime();
        }
        return looked < deadline ? looked : -1;
    }
}
