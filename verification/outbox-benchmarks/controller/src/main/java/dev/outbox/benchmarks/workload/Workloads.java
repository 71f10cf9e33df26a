package dev.outbox.benchmarks.workload;

import dev.outbox.benchmarks.options.Options;
import dev.outbox.benchmarks.workload.Drain.Load;
import dev.outbox.benchmarks.workload.Publish.Pace;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/**
 * Cases of the workloads that compare contestants. The first value of each option makes the base case; each further
 * value adds one case that differs in that value alone.
 */
public final class Workloads {

    private final Options options;
    private final Limits limits;

    /** Reads the cases from options. */
    public Workloads(Options options) {
        this.options = options;
        this.limits = Limits.of(options);
    }

    /** Returns the cases of {@code publish}. */
    public List<Workload> publish() {
        List<Integer> threads = options.numbers("threads", "8,1,32");
        List<String> pollers = options.texts("poller", "off,on");
        Pace pace = pace();
        boolean poller = pollers.get(0).equals("on");
        List<Workload> cases = new ArrayList<>();
        cases.add(new Publish(threads.get(0), poller, pace, limits));
        vary(cases, threads, (value) -> new Publish(value, poller, pace, limits));
        if (pollers.size() > 1) {
            cases.add(new Publish(threads.get(0), !poller, pace, limits));
        }
        return cases;
    }

    /** Returns the cases of {@code drain}. */
    public List<Workload> drain() {
        List<Integer> events = options.numbers("events", "100000");
        List<Integer> keys = options.numbers("keys", "10000,100,1");
        List<Integer> handlers = options.numbers("handlers", "1,3");
        List<Integer> work = options.numbers("work", "0,1");
        List<Integer> failing = options.numbers("failing", "0,5");
        List<Integer> instances = options.numbers("instances", "1,3");
        List<Integer> warmup = options.numbers("warmup-events", "0");
        Load base = new Load(events.get(0), keys.get(0), handlers.get(0), work.get(0), failing.get(0), warmup.get(0));
        int alone = instances.get(0);
        List<Workload> cases = new ArrayList<>();
        cases.add(new Drain(base, alone, limits));
        vary(cases, events, (value) -> drain(base.withEvents(value), alone));
        vary(cases, keys, (value) -> drain(base.withKeys(value), alone));
        vary(cases, handlers, (value) -> drain(base.withHandlers(value), alone));
        vary(cases, work, (value) -> drain(base.withWork(value), alone));
        vary(cases, failing, (value) -> drain(base.withFailing(value), alone));
        vary(cases, instances, (value) -> drain(base, value));
        vary(cases, warmup, (value) -> drain(base.withWarmup(value), alone));
        return cases;
    }

    private Workload drain(Load load, int instances) {
        return new Drain(load, instances, limits);
    }

    /** Returns the cases of {@code latency}. */
    public List<Workload> latency() {
        List<Integer> rates = options.numbers("rate", "200,1000");
        List<String> processes = options.texts("process", "same,another");
        List<Integer> failing = options.numbers("failing", "0,5");
        boolean elsewhere = processes.get(0).equals("another");
        Pace pace = pace();
        List<Workload> cases = new ArrayList<>();
        cases.add(new Latency(rates.get(0), elsewhere, failing.get(0), pace, limits));
        vary(cases, rates, (value) -> new Latency(value, elsewhere, failing.get(0), pace, limits));
        if (processes.size() > 1) {
            cases.add(new Latency(rates.get(0), !elsewhere, failing.get(0), pace, limits));
        }
        vary(cases, failing, (value) -> new Latency(rates.get(0), elsewhere, value, pace, limits));
        return cases;
    }

    /** Returns the cases of {@code forward}. */
    public List<Workload> forward() {
        List<Integer> events = options.numbers("events", "100000");
        List<Integer> keys = options.numbers("keys", "10000,100,1");
        int partitions = options.number("partitions", 3);
        List<Workload> cases = new ArrayList<>();
        cases.add(new Forward(events.get(0), keys.get(0), partitions, limits));
        vary(cases, events, (value) -> new Forward(value, keys.get(0), partitions, limits));
        vary(cases, keys, (value) -> new Forward(events.get(0), value, partitions, limits));
        return cases;
    }

    private Pace pace() {
        return new Pace(
                options.numbers("keys", "10000,100,1").get(0),
                options.number("warmup", 5),
                options.number("seconds", 20));
    }

    private static void vary(List<Workload> cases, List<Integer> values, IntFunction<Workload> one) {
        values.stream().skip(1).forEach((value) -> cases.add(one.apply(value)));
    }
}
