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
import dev.outbox.testing.RabbitProcess;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Forwards a backlog to a broker of its own: from the start of the contestant, or the end of its warm-up, until the destination has a
 * message of each event and nothing is left in the database.
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
        if (entrant.is(Kind.RABBIT) && !RabbitProcess.isInstalled()) {
            System.out.printf("%s, %s is skipped. %s%n", name(), entrant, RabbitProcess.MISSING);
            return false;
        }
        return entrant.is(Kind.KAFKA) || entrant.is(Kind.RABBIT);
    }

    @Override
    public Measurement run(Arena arena, Case parameters) throws Exception {
        int partitions = parameters.number("partitions");
        try (Destination destination =
                arena.entrant().is(Kind.RABBIT) ? new Queues(partitions) : new Topic(partitions)) {
            return run(arena, parameters, destination);
        }
    }

    private static Measurement run(Arena arena, Case parameters, Destination destination) throws Exception {
        int warmup = parameters.number("warmup-events");
        int events = warmup + parameters.number("events");
        WorkerProcess publisher = arena.open(Role.publisher(arena.pool()).with(destination.properties()));
        publisher.remote().publishBacklog(events, 0, parameters.number("keys"));
        List<Entry> committed = publisher.committed().entries();
        publisher.close();
        WorkerProcess forwarder = arena.open(Role.deliverer(arena.pool()).with(destination.properties()));
        arena.server().settle();

        Usage before = arena.usage();
        forwarder.remote().start();
        long warm = 0;
        if (warmup > 0) {
            awaitMessages(arena, destination, warmup);
            warm = destination.size();
            before = arena.usage();
        }
        long done = await(arena, destination, events);
        Usage used = arena.usage().since(before);
        List<Entry> messages = destination.read();
        long forwarded = messages.size() - warm;
        long nanos = done < 0 ? used.nanos() : done - before.nanos();
        return new Measurement()
                .with(RATE, forwarded / (nanos / 1e9))
                .with("seconds", nanos / 1e9)
                .withEnd(done)
                .with(used, forwarded)
                .with(Deliveries.of(committed, messages));
    }

    private static void awaitMessages(Arena arena, Destination destination, int messages) throws Exception {
        long deadline = arena.deadline();
        while (destination.size() < messages && System.nanoTime() < deadline) {
            Pause.of(LOOK_EVERY);
        }
    }

    /** Returns when the last event was forwarded and nothing was left, or a negative number after the deadline. */
    private static long await(Arena arena, Destination destination, int events) throws Exception {
        long deadline = arena.deadline();
        String pending = arena.workers().get(0).pending();
        long looked = System.nanoTime();
        while ((destination.size() < events || arena.server().number(pending) > 0) && looked < deadline) {
            Pause.of(LOOK_EVERY);
            looked = System.nanoTime();
        }
        return looked < deadline ? looked : -1;
    }
}
