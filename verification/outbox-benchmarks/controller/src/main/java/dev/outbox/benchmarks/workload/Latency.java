package dev.outbox.benchmarks.workload;

import dev.outbox.benchmarks.arena.Arena;
import dev.outbox.benchmarks.arena.Command;
import dev.outbox.benchmarks.arena.Entrant;
import dev.outbox.benchmarks.arena.Entrant.Kind;
import dev.outbox.benchmarks.arena.Role;
import dev.outbox.benchmarks.arena.Usage;
import dev.outbox.benchmarks.arena.WorkerProcess;
import dev.outbox.benchmarks.worker.Journal.Entry;
import dev.outbox.benchmarks.worker.Message;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Publishes at a steady rate, and measures the time from each commit to the handler call. Due events do not wait for
 * earlier ones, so a slow moment counts for every event that it delays.
 *
 * @param rate events per second
 * @param elsewhere whether another process delivers
 * @param failing the percentage of calls that fail once
 * @param pace the duration
 * @param limits the time limits
 */
public record Latency(int rate, boolean elsewhere, int failing, Publish.Pace pace, Limits limits) implements Workload {

    /** Enough threads to keep the rate while commits are slow. */
    private static final int PUBLISHERS = 16;

    @Override
    public String name() {
        return "latency";
    }

    @Override
    public Map<String, String> parameters() {
        Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("rate", rate + "/s");
        parameters.put("process", elsewhere ? "another" : "same");
        parameters.put("failing", failing + " %");
        parameters.put("keys", Integer.toString(pace.keys()));
        parameters.put("seconds", Integer.toString(pace.seconds()));
        return parameters;
    }

    @Override
    public boolean suits(Entrant entrant) {
        return entrant.is(Kind.LIBRARY);
    }

    @Override
    public Headline headline() {
        return new Headline("commit to handler p50 ms", List.of("outbox (tuned)"));
    }

    @Override
    public Measurement run(Arena arena) throws Exception {
        int pool = limits.pool(arena.entrant()) + PUBLISHERS;
        Role.Calls calls = new Role.Calls(0, failing, 0);
        WorkerProcess publisher = arena.open(new Role(!elsewhere, 1, pool, calls));
        WorkerProcess deliverer = elsewhere ? arena.open(new Role(true, 1, pool, calls)) : publisher;
        publisher.send(Command.to("accounts").with("accounts", pace.keys()));
        for (WorkerProcess worker : arena.workers()) {
            worker.send("start");
        }
        if (elsewhere) {
            limits.awaitJoining();
        }
        publish(publisher, pace.warmUp());
        arena.server().settle();
        Usage before = arena.usage();
        Message published = publish(publisher, pace.seconds());
        Usage used = arena.usage().since(before);
        long done = new Progress(arena)
                .await(
                        publisher.committed().size(),
                        System.nanoTime() + limits.longest().toNanos());

        List<Delivery> deliveries = deliveries(publisher, deliverer, published.number("first"));
        double seconds = (published.longNumber("ended") - published.longNumber("begun")) / 1e9;
        return new Measurement()
                .with("commit to handler", new Percentiles(deliveries.stream().mapToLong(Delivery::sinceCommit)))
                .with("due to handler", new Percentiles(deliveries.stream().mapToLong(Delivery::sinceDue)))
                .with("published/s", published.number("events") / seconds)
                .with("finished", done < 0 ? 0 : 1)
                .with(used, published.number("events"))
                .with(Deliveries.of(arena.workers(), 1))
                .with(deliverer.settings());
    }

    private Message publish(WorkerProcess worker, int seconds) throws IOException {
        worker.send(Command.to("pace")
                .with("rate", rate)
                .with("threads", PUBLISHERS)
                .with("keys", pace.keys())
                .with("shared", false)
                .with("seconds", seconds));
        return worker.send("await");
    }

    /** Committed event and its first call, which may begin before the commit returns to the publisher. */
    private record Delivery(Entry committed, Entry call) {

        long sinceCommit() {
            return Math.max(0, call.begun() - committed.ended());
        }

        long sinceDue() {
            return call.begun() - committed.begun();
        }
    }

    private static List<Delivery> deliveries(WorkerProcess publisher, WorkerProcess deliverer, int first)
            throws IOException {
        Map<Integer, Entry> calls = new HashMap<>();
        for (Entry call : deliverer.handled().entries()) {
            calls.merge(call.number(), call, (one, other) -> one.begun() <= other.begun() ? one : other);
        }
        return publisher.committed().entries().stream()
                .filter((committed) -> committed.number() >= first && calls.containsKey(committed.number()))
                .map((committed) -> new Delivery(committed, Objects.requireNonNull(calls.get(committed.number()))))
                .toList();
    }
}
