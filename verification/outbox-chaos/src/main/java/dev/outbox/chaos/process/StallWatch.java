package dev.outbox.chaos.process;

import dev.outbox.chaos.history.Fact;
import dev.outbox.chaos.history.Fact.Fault;
import dev.outbox.chaos.history.FactWriter;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Notes as a suspension when the whole process stood still, because the machine was busy or the process was stopped. */
public final class StallWatch implements AutoCloseable {

    private static final Duration PULSE = Duration.ofMillis(50);
    private static final Duration STALL = Duration.ofMillis(800);

    private final FactWriter facts;
    private volatile boolean closed;

    /** Begins to watch. */
    public StallWatch(FactWriter facts) {
        this.facts = facts;
        Commands.inBackground("stall-watch", this::watch);
    }

    private void watch() {
        long last = System.nanoTime();
        while (!closed) {
            LockSupport.parkNanos(PULSE.toNanos());
            long now = System.nanoTime();
            if (now - last > STALL.toNanos()) {
                note(last, now);
            }
            last = now;
        }
    }

    private synchronized void note(long begun, long ended) {
        if (!closed) {
            String process = facts.process();
            facts.write(Fault.begun(begun, Fact.Kind.SUSPEND, process, "stalled"));
            facts.write(Fault.ended(ended, Fact.Kind.SUSPEND, process, "stalled"));
        }
    }

    /** Writes nothing from now on. */
    @Override
    public synchronized void close() {
        closed = true;
    }
}
