package dev.outbox.benchmarks.worker;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Runs the same work on several threads and waits for all of them. */
final class Threads {

    private Threads() {}

    /** The work of one thread. */
    @FunctionalInterface
    interface Work {
        void on(int thread) throws Exception;
    }

    static void run(int threads, Work work) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (int thread = 0; thread < threads; thread++) {
                int number = thread;
                running.add(executor.submit(() -> {
                    work.on(number);
                    return null;
                }));
            }
            for (Future<?> one : running) {
                one.get();
            }
        } catch (ExecutionException ex) {
            throw ex.getCause() instanceof Exception cause ? cause : ex;
        } finally {
            executor.shutdownNow();
        }
    }
}
