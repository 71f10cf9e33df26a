package dev.outbox.benchmarks.harm;

import dev.outbox.benchmarks.options.Options;
import dev.outbox.benchmarks.workload.Limits;
import dev.outbox.benchmarks.workload.Publish;
import dev.outbox.benchmarks.workload.Workload;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** Harm tests. Their default sizes are small; the module's README lists the sizes that show the effect. */
public final class Harms {

    /** Names of all harm tests. */
    public static final List<String> NAMES = List.of(
            "harm-claim",
            "harm-snapshot",
            "harm-transaction",
            "harm-history",
            "harm-retention",
            "harm-retries",
            "harm-checkpoint",
            "harm-handlers",
            "harm-lane",
            "harm-slow",
            "harm-schedule",
            "harm-aggregate",
            "harm-instances",
            "harm-long-aggregate",
            "harm-heap");

    private final Options options;
    private final Harm harm;

    /** Reads the cases from options. */
    public Harms(Options options) {
        this.options = options;
        this.harm = new Harm(Limits.of(options), options.number("harm.keys", 1000));
    }

    /** Returns the cases of a harm test. */
    public List<Workload> named(String name) {
        return switch (name) {
            case "harm-claim" ->
                each(
                        "harm.pending",
                        "0,10000",
                        (pending) -> new Backlogs(pending, options.number("harm.handled", 5000), harm));
            case "harm-snapshot" -> List.of(disturbed(new HeldSnapshot()));
            case "harm-transaction" -> List.of(disturbed(new HeldTransaction()));
            case "harm-retention" ->
                List.of(disturbed(new RunningRetention(options.number("harm.expired", 10_000), harm.keys())));
            case "harm-history" -> each("harm.history", "0,10000", (history) -> new History(history, publish(), harm));
            case "harm-retries" ->
                each(
                        "harm.followers",
                        "0,100",
                        (followers) -> new RetryStorm(options.number("harm.events", 5000), followers, harm));
            case "harm-checkpoint" ->
                List.of(new CheckpointedRetries(
                        options.number("harm.events", 5000), options.number("harm.failing", 10), harm));
            case "harm-handlers" -> each("harm.handlers", "10,100", (handlers) -> new ManyHandlers(handlers, harm));
            case "harm-lane" ->
                Stream.of(false, true)
                        .<Workload>map((held) -> new LongLane(options.number("harm.settled", 2000), held, harm))
                        .toList();
            case "harm-slow" ->
                each(
                        "harm.concurrency",
                        "1,2",
                        (concurrency) -> new SlowHandler(
                                concurrency,
                                options.number("harm.timeout", 2000),
                                options.number("harm.seconds", 5),
                                harm));
            case "harm-schedule" ->
                each(
                        "harm.due",
                        "200,2000",
                        (rate) -> new DueEvents(
                                options.number("harm.later", 10_000), rate, options.number("harm.seconds", 5), harm));
            case "harm-aggregate" ->
                Stream.of(true, false)
                        .<Workload>map((shared) -> new OneAggregate(
                                options.number("harm.publishers", 20), shared, options.number("harm.seconds", 5), harm))
                        .toList();
            case "harm-instances" ->
                Stream.of(false, true)
                        .flatMap((elsewhere) -> options.numbers("harm.instances", "1,8,32").stream()
                                .<Workload>map((instances) -> new Instances(
                                        instances,
                                        elsewhere,
                                        options.number("harm.rate", 200),
                                        options.number("harm.seconds", 5),
                                        harm)))
                        .toList();
            case "harm-long-aggregate" ->
                each(
                        "harm.instances",
                        "1,3,10",
                        (instances) -> new LongAggregate(
                                instances,
                                options.number("harm.backlog", 20_000),
                                options.number("harm.seconds", 5),
                                harm));
            case "harm-heap" ->
                each(
                        "harm.backlog",
                        "1000,10000",
                        (backlog) -> new LittleHeap(backlog, options.text("harm.heap", "64m"), harm));
            default ->
                throw new IllegalArgumentException(
                        "workloads must be among publish, drain, latency and " + NAMES + ": " + name);
        };
    }

    private List<Workload> each(String option, String otherwise, Function<Integer, Workload> one) {
        return options.numbers(option, otherwise).stream().map(one).toList();
    }

    private Workload disturbed(Disturbance disturbance) {
        return new Disturbed(
                disturbance,
                options.number("harm.rate", 200),
                Duration.ofSeconds(options.number("harm.before", 5)),
                Duration.ofSeconds(options.number("harm.during", 10)),
                harm);
    }

    private Publish publish() {
        Publish.Pace pace = new Publish.Pace(harm.keys(), 2, options.number("harm.seconds", 5));
        return new Publish(8, true, pace, harm.limits());
    }
}
