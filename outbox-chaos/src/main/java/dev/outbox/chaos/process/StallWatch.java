package dev.outbox.chaos.process;

import dev.outbox.chaos.history.Fact;
import dev.outbox.chaos.history.Fact.Fault;
import dev.outbox.chaos.history.FactWriter;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Notes as a suspension when the whole process stood still, because the machine was busy or the process was stopped. */
final class StallWatch {

    private static final Duration PULSE = Duration.ofMillis(50);
    private static final Duration STALL = Duration.ofMillis(800);

    private final FactWriter facts;

    StallWatch(FactWriter facts) {
        this.facts = facts;
        Commands.inBackground("stall-watch", this::watch);
    }

    private void watch() {
        long last = System.nanoTime();
        while (true) {
            LockSupport.parkNanos(PULSE.toNanos());
            long now = System.nanoTime();
            if (now - last > STALL.toNanos()) {
                String process = facts.process();
                facts.write(Fault.begun(last, Fact.Kind.SUSPEND, process, "stalled"));
                facts.write(Fault.ended(now, Fact.Kind.SUSPEND, process, "stalled"));
            }
            last = now;
        }
    }
}
