package dev.outbox.internal.dispatch;

import dev.outbox.BatchHandler.Batch;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.internal.failure.HandlerFrames;
import dev.outbox.internal.registry.Activity;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Handler invocations in progress. One is slow after 10 s, and stuck if it runs longer than a lease of its stream or ignores the interrupt
 * at its timeout. Safe for use by many threads.
 */
public final class RunningHandlers {

    private static final Logger log = LoggerFactory.getLogger(RunningHandlers.class);

    /** Shorter calls are not worth a look of an operator. */
    private static final Duration LONG = Duration.ofSeconds(1);

    private static final Duration SLOW = Duration.ofSeconds(10);
    private static final Duration GRACE_AFTER_TIMEOUT = Duration.ofSeconds(1);
    private static final int MOST_FRAMES = 20;

    private final Map<String, Duration> leases;
    private final DispatchSettings settings;
    private final LongSupplier nanos;
    private final Map<Thread, Running> running = new ConcurrentHashMap<>();
    private final RunTimes runTimes = new RunTimes();

    /** Invocation in progress, the only one of its thread. */
    private static final class Running {

        private final String handlerId;
        private final @Nullable Duration timeout;
        private final EventEnvelope event;
        private final boolean severalEvents;
        private final Thread thread = Thread.currentThread();
        private final long begun;
        private volatile long invoked;
        private volatile boolean reportedSlow;
        private volatile boolean reportedStuck;

        Running(String handlerId, @Nullable Duration timeout, EventEnvelope event, boolean severalEvents, long begun) {
            this.handlerId = handlerId;
            this.timeout = timeout;
            this.event = event;
            this.severalEvents = severalEvents;
            this.begun = begun;
            this.invoked = begun;
        }
    }

    /** Invocation in progress, and how long it has run. */
    public record Invoked(String handlerId, EventEnvelope event, Duration running) {}

    public RunningHandlers(Map<String, Duration> leases, DispatchSettings settings, LongSupplier nanos) {
        this.leases = Map.copyOf(leases);
        this.settings = settings;
        this.nanos = nanos;
    }

    /** Returns a handler whose invocations are tracked. */
    public HandlerDefinition around(HandlerDefinition handler) {
        Duration timeout = settings.timeoutOf(handler);
        return handler.decorated((own) -> (payload, envelope, context) -> {
            boolean severalEvents =
                    payload instanceof Batch batch && batch.events().size() > 1;
            Running entry = new Running(handler.id(), timeout, envelope, severalEvents, nanos.getAsLong());
            running.put(entry.thread, entry);
            try {
                own.handle(payload, envelope, context);
            } finally {
                runTimes.ended(handler.id(), envelope.stream(), entry.begun, nanos.getAsLong());
                running.remove(entry.thread);
            }
        });
    }

    /** Returns a handler whose timeout counts from here on, inside {@link #around}. */
    public HandlerDefinition timed(HandlerDefinition handler) {
        return handler.decorated((own) -> (payload, envelope, context) -> {
            Running entry = running.get(Thread.currentThread());
            if (entry != null) {
                entry.invoked = nanos.getAsLong();
            }
            own.handle(payload, envelope, context);
        });
    }

    /** Returns all invocations, the longest first. */
    public List<Invoked> all() {
        return of(running.values().stream());
    }

    /** Returns the slow invocations, stuck ones included. */
    public List<Invoked> slow() {
        return of(running.values().stream().filter((entry) -> isSlow(entry) || isStuck(entry)));
    }

    /** Returns the stuck invocations. */
    public List<Invoked> stuck() {
        return of(running.values().stream().filter(this::isStuck));
    }

    /** Returns the stuck invocations of a stream. */
    public List<Invoked> stuck(String stream) {
        return stuck().stream()
                .filter((invoked) -> invoked.event().stream().equals(stream))
                .toList();
    }

    /** Returns whether a call has run for so long that operators want to see it. */
    public boolean anyLong() {
        return running.values().stream().anyMatch(this::isLong);
    }

    /** Returns what the handlers do, for operators. */
    public Activity activity() {
        return new Activity(
                running.values().stream()
                        .filter(this::isLong)
                        .map((entry) -> new Activity.Call(entry.handlerId, entry.event, age(entry), state(entry)))
                        .sorted(Comparator.comparing(Activity.Call::running).reversed())
                        .toList(),
                runTimes.at(nanos.getAsLong()));
    }

    private Activity.State state(Running entry) {
        return isStuck(entry) ? Activity.State.STUCK : isSlow(entry) ? Activity.State.SLOW : Activity.State.RUNNING;
    }

    /** Returns whether a handler runs on a thread. */
    public boolean runsOn(Thread thread) {
        return running.containsKey(thread);
    }

    /**
     * Logs each invocation once when it is slow and once when it is stuck, with what its thread does and what waits for it: the aggregates
     * of its events, or its stream when all of the stream's threads are busy. For use by one thread.
     */
    public void report(Map<String, Integer> threads) {
        for (Running entry : running.values()) {
            if (isStuck(entry) && !entry.reportedStuck) {
                entry.reportedStuck = true;
                report(
                        entry,
                        threads,
                        ignoresTimeout(entry)
                                ? "and ignores the interrupt at its timeout"
                                : "longer than a lease of its stream");
            } else if (isSlow(entry) && !entry.reportedSlow && !entry.reportedStuck) {
                entry.reportedSlow = true;
                report(entry, threads, "and has not returned");
            }
        }
    }

    private void report(Running entry, Map<String, Integer> threads, String state) {
        log.warn(
                "{} has been handling {} for {} s on thread {}, {}; {}{}",
                entry.handlerId,
                entry.event,
                age(entry).toSeconds(),
                entry.thread.getName(),
                state,
                waiting(entry, threads.getOrDefault(entry.event.stream(), Integer.MAX_VALUE)),
                frames(entry.thread));
    }

    private String waiting(Running reported, int threads) {
        String stream = reported.event.stream();
        long busy = running.values().stream()
                .filter((entry) -> entry.event.stream().equals(stream) && isLong(entry))
                .count();
        if (busy < threads) {
            return reported.severalEvents ? "the aggregates of its batch wait" : "its aggregate waits";
        }
        return "stream " + stream + " waits, because "
                + (threads == 1 ? "its only thread is" : "its " + threads + " threads are")
                + " busy: raise outbox.poller.concurrency, or the concurrency of the stream";
    }

    private static String frames(Thread thread) {
        return HandlerFrames.of(List.of(thread.getStackTrace())).stream()
                .limit(MOST_FRAMES)
                .map((frame) -> "\n\tat " + frame)
                .collect(Collectors.joining());
    }

    private List<Invoked> of(Stream<Running> entries) {
        return entries.map((entry) -> new Invoked(entry.handlerId, entry.event, age(entry)))
                .sorted(Comparator.comparing(Invoked::running).reversed())
                .toList();
    }

    private boolean isLong(Running entry) {
        return age(entry).compareTo(LONG) >= 0;
    }

    private boolean isSlow(Running entry) {
        return age(entry).compareTo(SLOW) >= 0;
    }

    private boolean isStuck(Running entry) {
        Duration lease = leases.get(entry.event.stream());
        return ignoresTimeout(entry) || (lease != null && age(entry).compareTo(lease) > 0);
    }

    private boolean ignoresTimeout(Running entry) {
        Duration invoked = Duration.ofNanos(nanos.getAsLong() - entry.invoked);
        return entry.timeout != null && invoked.compareTo(entry.timeout.plus(GRACE_AFTER_TIMEOUT)) > 0;
    }

    private Duration age(Running entry) {
        return Duration.ofNanos(nanos.getAsLong() - entry.begun);
    }
}
