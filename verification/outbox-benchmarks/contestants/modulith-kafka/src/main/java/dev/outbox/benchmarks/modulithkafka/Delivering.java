package dev.outbox.benchmarks.modulithkafka;

import java.util.concurrent.atomic.AtomicBoolean;

/** Switch for listener calls: before the process delivers, calls are lost as in a crash. */
class Delivering {

    private final AtomicBoolean begun = new AtomicBoolean();

    void begin() {
        begun.set(true);
    }

    boolean hasBegun() {
        return begun.get();
    }

    Runnable onceBegun(Runnable call) {
        return () -> {
            if (begun.get()) {
                call.run();
            }
        };
    }
}
