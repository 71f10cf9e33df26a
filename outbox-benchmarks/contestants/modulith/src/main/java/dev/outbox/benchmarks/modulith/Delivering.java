package dev.outbox.benchmarks.modulith;

import java.util.concurrent.atomic.AtomicBoolean;

/** Lets calls of listeners through once the process is to deliver; before, they are lost as in a process that dies. */
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
